// What C takes otherwise than it looks: a sign behind '=', and '!' in front of a comparison.
kernel void k(float *X, int n)
{
    n =+ 1;
    n =- 1;
    n = -1;
    n =-1;
    if (!n == 1)
        X[0] = n;
    if ((!n) == 1)
        X[1] = n;
    if (!n == !n)
        X[2] = n;
}
---
suspicious_signs.tile.c:4:7: warning: '=+' assigns a value with a sign
    n =+ 1;
      ^~
hint: write '+=', or a blank behind the '='
suspicious_signs.tile.c:5:7: warning: '=-' assigns a value with a sign
    n =- 1;
      ^~
hint: write '-=', or a blank behind the '='
suspicious_signs.tile.c:8:9: warning: '!' is done in front of the comparison
    if (!n == 1)
        ^~
hint: '!a == b' is written 'a != b'; parentheses say that it is meant
func @k(%X: ptr<f32>, %n: i32) {
  %n.1 = constant {-1} : i32
  %0 = cast %n.1 : bool
  %1 = not %0 : bool
  %2 = cast %1 : i32
  %3 = constant {1} : i32
  %4 = eq %2, %3 : bool
  if %4 {
    %5 = constant {0} : i64
    %6 = addptr %X, %5 : ptr<f32>
    %7 = cast %n.1 : f32
    store %6, %7
    yield
  } else {
    yield
  }
  %8 = cast %n.1 : bool
  %9 = not %8 : bool
  %10 = cast %9 : i32
  %11 = constant {1} : i32
  %12 = eq %10, %11 : bool
  if %12 {
    %13 = constant {1} : i64
    %14 = addptr %X, %13 : ptr<f32>
    %15 = cast %n.1 : f32
    store %14, %15
    yield
  } else {
    yield
  }
  %16 = cast %n.1 : bool
  %17 = not %16 : bool
  %18 = cast %n.1 : bool
  %19 = not %18 : bool
  %20 = cast %17 : i32
  %21 = cast %19 : i32
  %22 = eq %20, %21 : bool
  if %22 {
    %23 = constant {2} : i64
    %24 = addptr %X, %23 : ptr<f32>
    %25 = cast %n.1 : f32
    store %24, %25
    yield
  } else {
    yield
  }
  return
}
