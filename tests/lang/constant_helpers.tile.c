// A helper whose arguments are all known is computed at compile time, unless it loops.
static int half_of(int x)
{
    if (x > 100)
        return 50;
    int y = x;
    y /= 2;
    return y;
}
constexpr int H = half_of(9);
launch_grid(k, half_of(n));
kernel void k(int *Out, int n)
{
    store(Out + arange(0, half_of(16)), H + half_of(200));
}
---
func @k(%Out: ptr<i32>, %n: i32) {
  %0 = arange {0 to 8} : i64[8]
  %1 = broadcast %Out : ptr<i32>[8]
  %2 = addptr %1, %0 : ptr<i32>[8]
  %3 = constant {54} : i32[8]
  store %2, %3
  return
}

grid func @grid(%n: i32) -> (i64) {
  %n.1 = cast %n : i64
  %0 = constant {100} : i64
  %1 = gt %n.1, %0 : bool
  %2 = if %1 : i32 {
    %3 = constant {50} : i32
    yield %3
  } else {
    %4 = constant {0} : i32
    yield %4
  }
  %5 = not %1 : bool
  %6 = if %5 : i64 {
    %7 = constant {2} : i64
    %y = div %n.1, %7 : i64
    yield %y
  } else {
    %8 = cast %2 : i64
    yield %8
  }
  return %6
}
