// A helper that returns from a loop.
static int find(const int *p, int n, int what)
{
    for (int i = 0; i < n; i++) {
        if (p[i] == what)
            return i;
    }
    return -1;
}
kernel void k(const int *P, int *Out, int n)
{
    store(Out, find(P, n, 3));
}
---
func @k(%P: const ptr<i32>, %Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %what = constant {3} : i32
  %0 = constant {0} : i64
  %1 = constant {false} : bool
  %2 = constant {0} : i64
  %3, %4, %5 = while carry (%6 = %0, %7 = %1, %8 = %2) : (i64, bool, i64) {
    %9 = not %7 : bool
    %10 = lt %6, %n.1 : bool
    %11 = and %9, %10 : bool
    condition %11, %6, %7, %8
  } do (%12, %13, %14) {
    %15 = addptr %P, %12 : ptr<i32>
    %16 = load %15 : i32
    %17 = eq %16, %what : bool
    %18, %19 = if %17 : (bool, i64) {
      %20 = constant {true} : bool
      yield %20, %12
    } else {
      yield %13, %14
    }
    %21 = constant {1} : i64
    %22 = add %12, %21 : i64
    yield %22, %18, %19
  }
  %23 = not %4 : bool
  %24 = if %23 : i64 {
    %25 = constant {-1} : i64
    yield %25
  } else {
    yield %5
  }
  %26 = cast %24 : i32
  store %Out, %26
  return
}
