// Functions of angles, their inverses and others keep the type of their operand; two meet as in arithmetic.
kernel void k(const half *H, const double *D, float *Out, int n)
{
    store(Out + 0, tan(H[0]) + asin(n));
    store(Out + 1, acos(D[0]));
    store(Out + 2, atan(1));
    store(Out + 3, atan2(H[0], 2));
    store(Out + 4, atan2(n, D[0]));
    store(Out + 5, sinh(H[0]) + cosh(n));
    store(Out + 6, log10(D[0]) + exp10(2));
    store(Out + 7, cbrt(D[0]) + hypot(H[0], n));
}
---
func @k(%H: const ptr<f16>, %D: const ptr<f64>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = constant {0} : i64
  %3 = addptr %H, %2 : ptr<f16>
  %4 = load %3 : f16
  %5 = tan %4 : f16
  %6 = cast %n.1 : f32
  %7 = asin %6 : f32
  %8 = cast %5 : f32
  %9 = add %8, %7 : f32
  store %1, %9
  %10 = constant {1} : i64
  %11 = addptr %Out, %10 : ptr<f32>
  %12 = constant {0} : i64
  %13 = addptr %D, %12 : ptr<f64>
  %14 = load %13 : f64
  %15 = acos %14 : f64
  %16 = cast %15 : f32
  store %11, %16
  %17 = constant {2} : i64
  %18 = addptr %Out, %17 : ptr<f32>
  %19 = constant {1.0} : f32
  %20 = atan %19 : f32
  store %18, %20
  %21 = constant {3} : i64
  %22 = addptr %Out, %21 : ptr<f32>
  %23 = constant {0} : i64
  %24 = addptr %H, %23 : ptr<f16>
  %25 = load %24 : f16
  %26 = constant {2.0} : f16
  %27 = atan2 %25, %26 : f16
  %28 = cast %27 : f32
  store %22, %28
  %29 = constant {4} : i64
  %30 = addptr %Out, %29 : ptr<f32>
  %31 = constant {0} : i64
  %32 = addptr %D, %31 : ptr<f64>
  %33 = load %32 : f64
  %34 = cast %n.1 : f64
  %35 = atan2 %34, %33 : f64
  %36 = cast %35 : f32
  store %30, %36
  %37 = constant {5} : i64
  %38 = addptr %Out, %37 : ptr<f32>
  %39 = constant {0} : i64
  %40 = addptr %H, %39 : ptr<f16>
  %41 = load %40 : f16
  %42 = sinh %41 : f16
  %43 = cast %n.1 : f32
  %44 = cosh %43 : f32
  %45 = cast %42 : f32
  %46 = add %45, %44 : f32
  store %38, %46
  %47 = constant {6} : i64
  %48 = addptr %Out, %47 : ptr<f32>
  %49 = constant {0} : i64
  %50 = addptr %D, %49 : ptr<f64>
  %51 = load %50 : f64
  %52 = log10 %51 : f64
  %53 = constant {2.0} : f32
  %54 = exp10 %53 : f32
  %55 = cast %54 : f64
  %56 = add %52, %55 : f64
  %57 = cast %56 : f32
  store %48, %57
  %58 = constant {7} : i64
  %59 = addptr %Out, %58 : ptr<f32>
  %60 = constant {0} : i64
  %61 = addptr %D, %60 : ptr<f64>
  %62 = load %61 : f64
  %63 = cbrt %62 : f64
  %64 = constant {0} : i64
  %65 = addptr %H, %64 : ptr<f16>
  %66 = load %65 : f16
  %67 = cast %n.1 : f16
  %68 = hypot %66, %67 : f16
  %69 = cast %68 : f64
  %70 = add %63, %69 : f64
  %71 = cast %70 : f32
  store %59, %71
  return
}
