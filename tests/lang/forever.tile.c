// while (true) is left by break or return.
static int halvings(int n)
{
    int k = 0;
    while (true) {
        if (n <= 1)
            return k;
        n /= 2;
        k++;
    }
}
kernel void k(int *Out, int n)
{
    store(Out, halvings(n));
}
---
func @k(%Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %k = constant {0} : i32
  %0 = constant {false} : bool
  %1 = constant {0} : i32
  %n.2, %k.1, %2, %3 = while carry (%n.3 = %n.1, %k.2 = %k, %4 = %0, %5 = %1) : (i64, i32, bool, i32) {
    %6 = not %4 : bool
    %7 = constant {true} : bool
    %8 = and %6, %7 : bool
    condition %8, %n.3, %k.2, %4, %5
  } do (%n.4, %k.3, %9, %10) {
    %11 = constant {1} : i64
    %12 = le %n.4, %11 : bool
    %13, %14 = if %12 : (bool, i32) {
      %15 = constant {true} : bool
      yield %15, %k.3
    } else {
      yield %9, %10
    }
    %16 = not %13 : bool
    %n.5, %k.4 = if %16 : (i64, i32) {
      %17 = constant {2} : i64
      %n.6 = div %n.4, %17 : i64
      %18 = constant {1} : i32
      %k.5 = add %k.3, %18 : i32
      yield %n.6, %k.5
    } else {
      yield %n.4, %k.3
    }
    yield %n.5, %k.4, %13, %14
  }
  store %Out, %3
  return
}
