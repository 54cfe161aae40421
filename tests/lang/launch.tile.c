// What a launch computes: the grid, its requirements; and requirements on the target.
// args: -D B=4
constexpr int MOST = 1000;
launch_grid(k, cdiv(n, B), next_pow2(m), scale > 2 ? 1 : 2);
launch_require(k, n <= MOST && m > 0, "n is at most 1000");
require(k, threads = 64 * B, precision = exact);
kernel void k(float *Out, int n, uint32_t m, float scale, constexpr int B)
{
    store(Out, n);
}
---
func @k(%Out: ptr<f32>, %n: i32, %m: u32, %scale: f32) {
  %n.1 = cast %n : i64
  %0 = cast %n.1 : f32
  store %Out, %0
  return
}

grid func @grid(%n: i32, %m: u32, %scale: f32) -> (i64, i64, i64) {
  %n.1 = cast %n : i64
  %0 = constant {4} : i64
  %1 = cdiv %n.1, %0 : i64
  %2 = cast %m : i64
  %3 = constant {1} : i64
  %4 = maximum %2, %3 : i64
  %5 = constant {1} : i64
  %6 = sub %4, %5 : i64
  %7 = constant {1} : i64
  %8 = shr %6, %7 : i64
  %9 = or %6, %8 : i64
  %10 = constant {2} : i64
  %11 = shr %9, %10 : i64
  %12 = or %9, %11 : i64
  %13 = constant {4} : i64
  %14 = shr %12, %13 : i64
  %15 = or %12, %14 : i64
  %16 = constant {8} : i64
  %17 = shr %15, %16 : i64
  %18 = or %15, %17 : i64
  %19 = constant {16} : i64
  %20 = shr %18, %19 : i64
  %21 = or %18, %20 : i64
  %22 = constant {32} : i64
  %23 = shr %21, %22 : i64
  %24 = or %21, %23 : i64
  %25 = constant {1} : i64
  %26 = add %24, %25 : i64
  %27 = constant {2.0} : f32
  %28 = gt %scale, %27 : bool
  %29 = constant {1} : i32
  %30 = constant {2} : i32
  %31 = select %28, %29, %30 : i32
  %32 = cast %31 : i64
  return %1, %26, %32
}

launch_require "n is at most 1000" func @require(%n: i32, %m: u32, %scale: f32) -> (bool) {
  %n.1 = cast %n : i64
  %0 = constant {1000} : i64
  %1 = le %n.1, %0 : bool
  %2 = constant {0} : u32
  %3 = gt %m, %2 : bool
  %4 = and %1, %3 : bool
  return %4
}

require threads = 256
require precision = exact
