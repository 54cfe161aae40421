// A body may need a shape that a scalar start has not taken yet.
// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i += 8) {
        int col = i + arange(0, 8);
        float x = load(X + expand_dims(arange(0, B), 1) * n + expand_dims(col, 0));
        s += sum(exp(x - expand_dims(m, 1)), axis(1)) + sum(m, axis(0));
        m = maximum(m, max(x, axis(1)));
    }
    store(Out + arange(0, B), m + s);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %m = constant {-inf} : f32
  %s = constant {0.0} : f32
  %0 = constant {0} : i64
  %1 = constant {8} : i64
  %2 = broadcast %s : f32[4]
  %3 = broadcast %m : f32[4]
  %s.1, %m.1 = for %i = %0 to %n.1 step %1 carry (%s.2 = %2, %m.2 = %3) : (f32[4], f32[4]) {
    %4 = arange {0 to 8} : i64[8]
    %5 = broadcast %i : i64[8]
    %col = add %5, %4 : i64[8]
    %6 = arange {0 to 4} : i64[4]
    %7 = reshape %6 : i64[4, 1]
    %8 = broadcast %n.1 : i64[4, 1]
    %9 = mul %7, %8 : i64[4, 1]
    %10 = broadcast %X : ptr<f32>[4, 1]
    %11 = addptr %10, %9 : ptr<f32>[4, 1]
    %12 = reshape %col : i64[1, 8]
    %13 = broadcast %11 : ptr<f32>[4, 8]
    %14 = broadcast %12 : i64[4, 8]
    %15 = addptr %13, %14 : ptr<f32>[4, 8]
    %x = load %15 : f32[4, 8]
    %16 = reshape %m.2 : f32[4, 1]
    %17 = broadcast %16 : f32[4, 8]
    %18 = sub %x, %17 : f32[4, 8]
    %19 = exp %18 : f32[4, 8]
    %20 = sum {axis 1} %19 : f32[4]
    %21 = sum {axis 0} %m.2 : f32
    %22 = broadcast %21 : f32[4]
    %23 = add %20, %22 : f32[4]
    %s.3 = add %s.2, %23 : f32[4]
    %24 = max {axis 1} %x : f32[4]
    %m.3 = maximum %m.2, %24 : f32[4]
    yield %s.3, %m.3
  }
  %25 = arange {0 to 4} : i64[4]
  %26 = broadcast %Out : ptr<f32>[4]
  %27 = addptr %26, %25 : ptr<f32>[4]
  %28 = add %m.1, %s.1 : f32[4]
  store %27, %28
  return
}
