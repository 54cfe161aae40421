// fmod keeps the type of its operands, and what is constant is computed; an integer becomes float.
kernel void k(const half *H, const double *D, float *Out, int n)
{
    store(Out + 0, fmod(H[0], 2));
    store(Out + 1, fmod(n, D[0]));
    store(Out + 2, fmod(7, 3));
    store(Out + 3, fmod(-7.5f, 2));
}
---
func @k(%H: const ptr<f16>, %D: const ptr<f64>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = constant {0} : i64
  %3 = addptr %H, %2 : ptr<f16>
  %4 = load %3 : f16
  %5 = constant {2.0} : f16
  %6 = fmod %4, %5 : f16
  %7 = cast %6 : f32
  store %1, %7
  %8 = constant {1} : i64
  %9 = addptr %Out, %8 : ptr<f32>
  %10 = constant {0} : i64
  %11 = addptr %D, %10 : ptr<f64>
  %12 = load %11 : f64
  %13 = cast %n.1 : f64
  %14 = fmod %13, %12 : f64
  %15 = cast %14 : f32
  store %9, %15
  %16 = constant {2} : i64
  %17 = addptr %Out, %16 : ptr<f32>
  %18 = constant {1.0} : f32
  store %17, %18
  %19 = constant {3} : i64
  %20 = addptr %Out, %19 : ptr<f32>
  %21 = constant {-1.5} : f32
  store %20, %21
  return
}
