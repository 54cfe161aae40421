// args: -D n=100 -D rate=1e-3 -D on=true -D mode=2 -D unused=7
// Scalars that -D fixes stay parameters: their constants are the passes', not the language's, so that
// no branch is left out and a loop's step may turn out not to be positive, as without it.
#if n < 100
#error n is a macro here too
#endif

launch_grid(k, cdiv(n, 64));
launch_require(k, n > 0, "there must be something");

static float chosen(float x, int mode, float rate)
{
    return mode == 1 ? x * rate + 1.0f : x - rate;
}

kernel void k(const float *X, float *Out, int n, float rate, bool on, uint8_t mode, int64_t unused, int step)
{
    for (int j = program_id(0) * 64; j < n; j += step) {
        int i = j + arange(0, 64);
        float x = load(X + i, i < n);
        if (on)
            x = chosen(x, mode, rate);
        store(Out + i, x, i < n);
    }
}

/* Lacks them, or has them as constexpr parameters. */
kernel void other(float *Out, constexpr int mode)
{
    store(Out + arange(0, mode), 1.0f);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32 = 100, %rate: f32 = 0.001, %on: bool = true, %mode: u8 = 2, %unused: i64 = 7, %step: i32) {
  %n.1 = constant {100} : i64
  %rate.1 = constant {0.001} : f32
  %on.1 = constant {true} : bool
  %mode.1 = constant {2} : u8
  %step.1 = cast %step : i64
  %0 = program_id {axis 0} : i64
  %1 = constant {64} : i64
  %2 = mul %0, %1 : i64
  for %j = %2 to %n.1 step %step.1 {
    %3 = arange {0 to 64} : i64[64]
    %4 = broadcast %j : i64[64]
    %i = add %4, %3 : i64[64]
    %5 = broadcast %X : ptr<f32>[64]
    %6 = addptr %5, %i : ptr<f32>[64]
    %7 = broadcast %n.1 : i64[64]
    %8 = lt %i, %7 : bool[64]
    %9 = constant {0.0} : f32[64]
    %x = load %6, %8, %9 : f32[64]
    %x.1 = if %on.1 : f32[64] {
      %mode.2 = cast %mode.1 : i32
      %10 = constant {1} : i32
      %11 = eq %mode.2, %10 : bool
      %12 = broadcast %rate.1 : f32[64]
      %13 = constant {1.0} : f32[64]
      %14 = fma %x, %12, %13 : f32[64]
      %15 = broadcast %rate.1 : f32[64]
      %16 = sub %x, %15 : f32[64]
      %17 = broadcast %11 : bool[64]
      %x.2 = select %17, %14, %16 : f32[64]
      yield %x.2
    } else {
      yield %x
    }
    %18 = broadcast %Out : ptr<f32>[64]
    %19 = addptr %18, %i : ptr<f32>[64]
    %20 = broadcast %n.1 : i64[64]
    %21 = lt %i, %20 : bool[64]
    store %19, %x.1, %21
    yield
  }
  return
}

grid func @grid(%n: i32 = 100, %rate: f32 = 0.001, %on: bool = true, %mode: u8 = 2, %unused: i64 = 7, %step: i32) -> (i64) {
  %n.1 = constant {100} : i64
  %0 = constant {64} : i64
  %1 = cdiv %n.1, %0 : i64
  return %1
}

launch_require "there must be something" func @require(%n: i32 = 100, %rate: f32 = 0.001, %on: bool = true, %mode: u8 = 2, %unused: i64 = 7, %step: i32) -> (bool) {
  %n.1 = constant {100} : i64
  %0 = constant {0} : i64
  %1 = gt %n.1, %0 : bool
  return %1
}
