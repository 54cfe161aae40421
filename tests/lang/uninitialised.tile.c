// A variable may be declared without a value, if it has one wherever it is used.
kernel void k(const float *X, float *Out, int n)
{
    float t;
    for (int i = 0; i < n; i++) {
        t = X[i];
        store(Out + i, t * t);
    }
    t = 1;
    store(Out, t);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  for %i = %0 to %n.1 step %1 {
    %2 = addptr %X, %i : ptr<f32>
    %t = load %2 : f32
    %3 = addptr %Out, %i : ptr<f32>
    %4 = mul %t, %t : f32
    store %3, %4
    yield
  }
  %t.1 = constant {1.0} : f32
  store %Out, %t.1
  return
}
