// Inner loops first; a branch whose condition hangs on the counters alone goes with them. Masks that
// the counters decide go too, because they are proved behind it.
kernel void k(const float *restrict X, float *restrict Out, int n)
{
    int i = arange(0, 16);
    float s = zeros(float, 16);
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++)
            if (a != b)
                s = s * load(X + i + 16 * a, i + 16 * a < 32 && i + b < n);
        s = s + 1;
    }
    store(Out + i, s);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 16} : i64[16]
  %s = constant {0.0} : f32[16]
  %0 = broadcast %X : ptr<f32>[16]
  %1 = addptr %0, %i : ptr<f32>[16]
  %2 = constant {1} : i64[16]
  %3 = add %i, %2 : i64[16]
  %4 = broadcast %n.1 : i64[16]
  %5 = lt %3, %4 : bool[16]
  %6 = load %1, %5, %s : f32[16]
  %s.1 = mul %6, %s : f32[16]
  %7 = constant {1.0} : f32[16]
  %s.2 = add %s.1, %7 : f32[16]
  %8 = constant {16} : i64[16]
  %9 = addptr %1, %8 : ptr<f32>[16]
  %10 = lt %i, %4 : bool[16]
  %11 = load %9, %10, %s : f32[16]
  %s.3 = mul %s.2, %11 : f32[16]
  %s.4 = add %s.3, %7 : f32[16]
  %12 = broadcast %Out : ptr<f32>[16]
  %13 = addptr %12, %i : ptr<f32>[16]
  store %13, %s.4
  return
}
