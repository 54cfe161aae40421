// a < b < c is what C makes of it, with a warning; in parentheses it is meant. So with ==. Python's words
// are names like any other where C has no other use for them, and ** is a product with what a pointer
// points to. A line of an expression may end with ':'.
kernel void k(const int *X, bool *Out, int n)
{
    int def = 1, import = 2;
    def += import;
    bool from = 1 < n < 3;
    bool class = 1 < n == n < 3;
    bool assert = (1 < n) < 3, lambda = n == 2 == true;
    int pass = n ** X;
    if (n > 4)
        pass = n > 5 ? def :
            import;
    store(Out, from && class && assert && lambda && pass > 0);
}
---
chained_comparison.tile.c:8:17: warning: the result of a comparison, 0 or 1, is compared
    bool from = 1 < n < 3;
                ^~~~~~~~~
hint: 'a < b < c' is written 'a < b && b < c'; parentheses say that it is meant
chained_comparison.tile.c:10:41: warning: the result of a comparison, 0 or 1, is compared
    bool assert = (1 < n) < 3, lambda = n == 2 == true;
                                        ^~~~~~~~~~~~~~
hint: 'a < b < c' is written 'a < b && b < c'; parentheses say that it is meant
func @k(%X: const ptr<i32>, %Out: ptr<bool>, %n: i32) {
  %n.1 = cast %n : i64
  %def = constant {1} : i32
  %import = constant {2} : i32
  %def.1 = add %def, %import : i32
  %0 = constant {1} : i64
  %1 = lt %0, %n.1 : bool
  %2 = cast %1 : i32
  %3 = constant {3} : i32
  %from = lt %2, %3 : bool
  %4 = constant {1} : i64
  %5 = lt %4, %n.1 : bool
  %6 = constant {3} : i64
  %7 = lt %n.1, %6 : bool
  %8 = cast %5 : i32
  %9 = cast %7 : i32
  %class = eq %8, %9 : bool
  %10 = constant {1} : i64
  %11 = lt %10, %n.1 : bool
  %12 = cast %11 : i32
  %13 = constant {3} : i32
  %assert = lt %12, %13 : bool
  %14 = constant {2} : i64
  %15 = eq %n.1, %14 : bool
  %16 = cast %15 : i32
  %17 = constant {1} : i32
  %lambda = eq %16, %17 : bool
  %18 = load %X : i32
  %19 = cast %18 : i64
  %pass = mul %n.1, %19 : i64
  %20 = constant {4} : i64
  %21 = gt %n.1, %20 : bool
  %pass.1 = if %21 : i64 {
    %22 = constant {5} : i64
    %23 = gt %n.1, %22 : bool
    %pass.2 = select %23, %def.1, %import : i32
    %24 = cast %pass.2 : i64
    yield %24
  } else {
    yield %pass
  }
  %25 = and %from, %class : bool
  %26 = and %25, %assert : bool
  %27 = and %26, %lambda : bool
  %28 = constant {0} : i64
  %29 = gt %pass.1, %28 : bool
  %30 = and %27, %29 : bool
  store %Out, %30
  return
}
