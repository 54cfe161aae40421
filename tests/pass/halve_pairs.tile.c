// args: --only fold,cse,licm,dce,halve_pairs,fold,cse,dce
// Pairs that lie in a line are loaded, split, joined and stored as two tiles of every second element; so
// are those of a tile whose last axis they are.
kernel void line(const float *restrict X, float *restrict Out, int n)
{
    int i = arange(0, 128);
    float x = reshape(load(X + i, i < n), 64, 2);
    store(Out + i, reshape(join(-split(x, 1), split(x, 0)), 128), i < n);
}
---
func @line(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = arange {0 to 64} : i64[64]
  %1 = constant {2} : i64[64]
  %2 = mul %0, %1 : i64[64]
  %3 = constant {1} : i64[64]
  %4 = add %2, %3 : i64[64]
  %5 = broadcast %X : ptr<f32>[64]
  %6 = addptr %5, %2 : ptr<f32>[64]
  %7 = addptr %5, %4 : ptr<f32>[64]
  %8 = broadcast %n.1 : i64[64]
  %9 = lt %2, %8 : bool[64]
  %10 = lt %4, %8 : bool[64]
  %11 = constant {0.0} : f32[64]
  %12 = load %6, %9, %11 : f32[64]
  %13 = load %7, %10, %11 : f32[64]
  %14 = broadcast %Out : ptr<f32>[64]
  %15 = addptr %14, %2 : ptr<f32>[64]
  %16 = addptr %14, %4 : ptr<f32>[64]
  %17 = neg %13 : f32[64]
  store %15, %17, %9
  store %16, %12, %10
  return
}
