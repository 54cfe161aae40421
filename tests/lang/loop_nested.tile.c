// Nested loops agree on what they carry; an inner name shadows.
// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float s = 0, t = 1;
    for (int i = 0; i < n; i++) {
        float t = 2;
        for (int j = 0; j < n; j += B)
            s += load(X + i * n + j + arange(0, B)) * t;
        t = 3;
    }
    store(Out + arange(0, B), s + t);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %s = constant {0.0} : f32
  %t = constant {1.0} : f32
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  %2 = broadcast %s : f32[4]
  %s.1 = for %i = %0 to %n.1 step %1 carry (%s.2 = %2) : f32[4] {
    %t.1 = constant {2.0} : f32
    %3 = constant {0} : i64
    %4 = constant {4} : i64
    %s.3 = for %j = %3 to %n.1 step %4 carry (%s.4 = %s.2) : f32[4] {
      %5 = mul %i, %n.1 : i64
      %6 = addptr %X, %5 : ptr<f32>
      %7 = addptr %6, %j : ptr<f32>
      %8 = arange {0 to 4} : i64[4]
      %9 = broadcast %7 : ptr<f32>[4]
      %10 = addptr %9, %8 : ptr<f32>[4]
      %11 = load %10 : f32[4]
      %12 = broadcast %t.1 : f32[4]
      %s.5 = fma %11, %12, %s.4 : f32[4]
      yield %s.5
    }
    %t.2 = constant {3.0} : f32
    yield %s.3
  }
  %13 = arange {0 to 4} : i64[4]
  %14 = broadcast %Out : ptr<f32>[4]
  %15 = addptr %14, %13 : ptr<f32>[4]
  %16 = broadcast %t : f32[4]
  %17 = add %s.1, %16 : f32[4]
  store %15, %17
  return
}
