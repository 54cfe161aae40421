// args: -D B=0
launch_grid(k, n / 0);
static int ratio(int a, int b)
{
    return a / b;
}
kernel void k(const int *X, int *Out, int n, constexpr int B)
{
    int x = load(X + arange(0, 4));
    store(Out + arange(0, 4), x / 0 + x % B + (x << 32) + (x >> -1));
    store(Out, ratio(X[1], 0));
    if (B != 0)
        store(Out, X[1] / B);
    store(Out + 1, 1.0f / 0 + X[0] / 2);
}
---
zero_divisor.tile.c:10:31: warning: division by zero
    store(Out + arange(0, 4), x / 0 + x % B + (x << 32) + (x >> -1));
                              ^~~~~
zero_divisor.tile.c:10:39: warning: division by zero
    store(Out + arange(0, 4), x / 0 + x % B + (x << 32) + (x >> -1));
                                      ^~~~~
zero_divisor.tile.c:10:47: warning: shift count outside the type
    store(Out + arange(0, 4), x / 0 + x % B + (x << 32) + (x >> -1));
                                              ^~~~~~~~~
zero_divisor.tile.c:10:59: warning: shift count outside the type
    store(Out + arange(0, 4), x / 0 + x % B + (x << 32) + (x >> -1));
                                                          ^~~~~~~~~
zero_divisor.tile.c:2:16: warning: division by zero
launch_grid(k, n / 0);
               ^~~~~
func @k(%X: const ptr<i32>, %Out: ptr<i32>, %n: i32) {
  %0 = arange {0 to 4} : i64[4]
  %1 = broadcast %X : ptr<i32>[4]
  %2 = addptr %1, %0 : ptr<i32>[4]
  %x = load %2 : i32[4]
  %3 = arange {0 to 4} : i64[4]
  %4 = broadcast %Out : ptr<i32>[4]
  %5 = addptr %4, %3 : ptr<i32>[4]
  %6 = constant {0} : i32[4]
  %7 = div %x, %6 : i32[4]
  %8 = cast %x : i64[4]
  %9 = constant {0} : i64[4]
  %10 = rem %8, %9 : i64[4]
  %11 = cast %7 : i64[4]
  %12 = add %11, %10 : i64[4]
  %13 = constant {32} : i32[4]
  %14 = shl %x, %13 : i32[4]
  %15 = cast %14 : i64[4]
  %16 = add %12, %15 : i64[4]
  %17 = constant {-1} : i32[4]
  %18 = shr %x, %17 : i32[4]
  %19 = cast %18 : i64[4]
  %20 = add %16, %19 : i64[4]
  %21 = cast %20 : i32[4]
  store %5, %21
  %22 = constant {1} : i64
  %23 = addptr %X, %22 : ptr<i32>
  %a = load %23 : i32
  %b = constant {0} : i32
  %24 = div %a, %b : i32
  store %Out, %24
  %25 = constant {1} : i64
  %26 = addptr %Out, %25 : ptr<i32>
  %27 = constant {0} : i64
  %28 = addptr %X, %27 : ptr<i32>
  %29 = load %28 : i32
  %30 = constant {2} : i32
  %31 = div %29, %30 : i32
  %32 = cast %31 : f32
  %33 = constant {inf} : f32
  %34 = add %33, %32 : f32
  %35 = cast %34 : i32
  store %26, %35
  return
}

grid func @grid(%n: i32) -> (i64) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = div %n.1, %0 : i64
  return %1
}
