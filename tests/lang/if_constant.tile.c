// A constant condition chooses at compile time; the other branch is not elaborated.
// args: -D B=4
kernel void k(float *Out, constexpr int B)
{
    if (B == 4)
        store(Out, 1);
    else
        store(Out + arange(0, -1), "never looked at");
    constexpr int HALF = B / 2;
    store(Out + arange(0, HALF), HALF > 1 ? 5 : 6);
    if (B == 3 && zeros(float, 0) > 1)
        store(Out, 2);
}
---
func @k(%Out: ptr<f32>) {
  %0 = constant {1.0} : f32
  store %Out, %0
  %1 = arange {0 to 2} : i64[2]
  %2 = broadcast %Out : ptr<f32>[2]
  %3 = addptr %2, %1 : ptr<f32>[2]
  %4 = constant {5.0} : f32[2]
  store %3, %4
  return
}
