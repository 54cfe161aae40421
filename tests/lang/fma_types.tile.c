// double fuses; a float product in double does not; constants fuse before they are folded.
kernel void k(const double *D, float *Out, float a, float b)
{
    store(Out + 0, D[0] * D[1] + a);
    store(Out + 1, a * b + D[0]);
    store(Out + 2, 2.0 * 3.0 + a);
    store(Out + 3, 2.0 * a + 1.0);
    store(Out + 4, 1.1f * 1.1f - 1.21f);
    float t = 2 * arange(0, 4) * a + full(float, 1, 4);
    store(Out + arange(0, 4), t);
}
---
func @k(%D: const ptr<f64>, %Out: ptr<f32>, %a: f32, %b: f32) {
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = constant {0} : i64
  %3 = addptr %D, %2 : ptr<f64>
  %4 = load %3 : f64
  %5 = constant {1} : i64
  %6 = addptr %D, %5 : ptr<f64>
  %7 = load %6 : f64
  %8 = cast %a : f64
  %9 = fma %4, %7, %8 : f64
  %10 = cast %9 : f32
  store %1, %10
  %11 = constant {1} : i64
  %12 = addptr %Out, %11 : ptr<f32>
  %13 = constant {0} : i64
  %14 = addptr %D, %13 : ptr<f64>
  %15 = load %14 : f64
  %16 = mul %a, %b : f32
  %17 = cast %16 : f64
  %18 = add %17, %15 : f64
  %19 = cast %18 : f32
  store %12, %19
  %20 = constant {2} : i64
  %21 = addptr %Out, %20 : ptr<f32>
  %22 = constant {2.0} : f32
  %23 = constant {3.0} : f32
  %24 = fma %22, %23, %a : f32
  store %21, %24
  %25 = constant {3} : i64
  %26 = addptr %Out, %25 : ptr<f32>
  %27 = constant {2.0} : f32
  %28 = constant {1.0} : f32
  %29 = fma %27, %a, %28 : f32
  store %26, %29
  %30 = constant {4} : i64
  %31 = addptr %Out, %30 : ptr<f32>
  %32 = constant {1.4305115e-8} : f32
  store %31, %32
  %33 = arange {0 to 4} : i64[4]
  %34 = constant {2} : i64[4]
  %35 = mul %34, %33 : i64[4]
  %36 = cast %35 : f32[4]
  %37 = broadcast %a : f32[4]
  %38 = constant {1.0} : f32[4]
  %t = fma %36, %37, %38 : f32[4]
  %39 = arange {0 to 4} : i64[4]
  %40 = broadcast %Out : ptr<f32>[4]
  %41 = addptr %40, %39 : ptr<f32>[4]
  store %41, %t
  return
}
