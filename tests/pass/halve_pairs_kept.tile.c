// args: --only fold,cse,licm,dce,halve_pairs,fold,cse,dce
// What stays: a tile that is also wanted whole and is more than an index; one that a loop carries; a store
// without a join; a join that is summed up; an axis of which there are no halves.
kernel void kept(const float *restrict X, float *restrict Out, float *restrict Sum, int n)
{
    int i = arange(0, 64), p = arange(0, 32);
    float x = load(X + i);
    float q = reshape(exp(x), 32, 2);
    store(Out + p, split(q, 0) - split(q, 1));
    store(Out + 32 + 2 * expand_dims(p, 1) + expand_dims(arange(0, 2), 0), q);
    float t = zeros(float, 32, 2);
    for (int k = 0; k < n; k++)
        t += reshape(load(X + i + k), 32, 2);
    store(Out + 96 + p, split(t, 0));
    store(Sum, sum(join(split(t, 1), split(t, 0))));
}
---
func @kept(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %Sum: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 64} : i64[64]
  %p = arange {0 to 32} : i64[32]
  %0 = broadcast %X : ptr<f32>[64]
  %1 = addptr %0, %i : ptr<f32>[64]
  %x = load %1 : f32[64]
  %2 = exp %x : f32[64]
  %q = reshape %2 : f32[32, 2]
  %3 = broadcast %Out : ptr<f32>[32]
  %4 = addptr %3, %p : ptr<f32>[32]
  %5, %6 = split %q : (f32[32], f32[32])
  %7 = sub %5, %6 : f32[32]
  store %4, %7
  %8 = constant {32} : i64
  %9 = addptr %Out, %8 : ptr<f32>
  %10 = reshape %p : i64[32, 1]
  %11 = constant {2} : i64[32, 1]
  %12 = mul %10, %11 : i64[32, 1]
  %13 = broadcast %9 : ptr<f32>[32, 1]
  %14 = addptr %13, %12 : ptr<f32>[32, 1]
  %15 = arange {0 to 2} : i64[2]
  %16 = reshape %15 : i64[1, 2]
  %17 = broadcast %14 : ptr<f32>[32, 2]
  %18 = broadcast %16 : i64[32, 2]
  %19 = addptr %17, %18 : ptr<f32>[32, 2]
  store %19, %q
  %t = constant {0.0} : f32[32, 2]
  %20 = constant {0} : i64
  %21 = constant {1} : i64
  %t.1 = for %k = %20 to %n.1 step %21 carry (%t.2 = %t) : f32[32, 2] {
    %22 = broadcast %k : i64[64]
    %23 = addptr %1, %22 : ptr<f32>[64]
    %24 = load %23 : f32[64]
    %25 = reshape %24 : f32[32, 2]
    %t.3 = add %t.2, %25 : f32[32, 2]
    yield %t.3
  }
  %26 = constant {96} : i64
  %27 = addptr %Out, %26 : ptr<f32>
  %28 = broadcast %27 : ptr<f32>[32]
  %29 = addptr %28, %p : ptr<f32>[32]
  %30, %31 = split %t.1 : (f32[32], f32[32])
  store %29, %30
  %32 = join %31, %30 : f32[32, 2]
  %33 = sum {axis -1} %32 : f32
  store %Sum, %33
  return
}
