// X[i] and *p are assigned: one element is stored.
kernel void k(float *Out, half *H, int n)
{
    Out[n] = 1;
    *Out = n;
    Out[n] += 2 * Out[1];
    H[n + 1] = Out[0];
    *(H + 1) -= 0.5;
    Out[2]++;
    --*Out;
}
---
func @k(%Out: ptr<f32>, %H: ptr<f16>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = addptr %Out, %n.1 : ptr<f32>
  %1 = constant {1.0} : f32
  store %0, %1
  %2 = cast %n.1 : f32
  store %Out, %2
  %3 = constant {1} : i64
  %4 = addptr %Out, %3 : ptr<f32>
  %5 = load %4 : f32
  %6 = addptr %Out, %n.1 : ptr<f32>
  %7 = load %6 : f32
  %8 = constant {2.0} : f32
  %9 = fma %8, %5, %7 : f32
  store %6, %9
  %10 = constant {0} : i64
  %11 = addptr %Out, %10 : ptr<f32>
  %12 = load %11 : f32
  %13 = constant {1} : i64
  %14 = add %n.1, %13 : i64
  %15 = addptr %H, %14 : ptr<f16>
  %16 = cast %12 : f16
  store %15, %16
  %17 = constant {1} : i64
  %18 = addptr %H, %17 : ptr<f16>
  %19 = load %18 : f16
  %20 = constant {0.5} : f16
  %21 = sub %19, %20 : f16
  store %18, %21
  %22 = constant {2} : i64
  %23 = addptr %Out, %22 : ptr<f32>
  %24 = load %23 : f32
  %25 = constant {1.0} : f32
  %26 = add %24, %25 : f32
  store %23, %26
  %27 = load %Out : f32
  %28 = constant {1.0} : f32
  %29 = sub %27, %28 : f32
  store %Out, %29
  return
}
