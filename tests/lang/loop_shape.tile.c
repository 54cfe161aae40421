// A scalar takes the loop's shape; with no turn it is its initial value in that shape.
// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float m = -INFINITY;
    for (int i = 0; i < n; i += B)
        m = maximum(m, load(X + i + arange(0, B)));
    store(Out + arange(0, B), m);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %m = constant {-inf} : f32
  %0 = constant {0} : i64
  %1 = constant {4} : i64
  %2 = broadcast %m : f32[4]
  %m.1 = for %i = %0 to %n.1 step %1 carry (%m.2 = %2) : f32[4] {
    %3 = addptr %X, %i : ptr<f32>
    %4 = arange {0 to 4} : i64[4]
    %5 = broadcast %3 : ptr<f32>[4]
    %6 = addptr %5, %4 : ptr<f32>[4]
    %7 = load %6 : f32[4]
    %m.3 = maximum %m.2, %7 : f32[4]
    yield %m.3
  }
  %8 = arange {0 to 4} : i64[4]
  %9 = broadcast %Out : ptr<f32>[4]
  %10 = addptr %9, %8 : ptr<f32>[4]
  store %10, %m.1
  return
}
