// A constant without suffix takes the other operand's type; alone it is float.
kernel void k(const half *H, const double *D, const bfloat *B, const int *I, float *Out)
{
    store(Out + 0, 0.5 * H[0]);
    store(Out + 1, D[0] - 0.1);
    store(Out + 2, B[0] + 1);
    store(Out + 3, I[0] * 0.5);
    store(Out + 4, where(H[0] > 0.0, H[0], -INFINITY));
    store(Out + 5, maximum(D[0], NAN));
    store(Out + 6, 0.5f * H[0]);
    store(Out + 7, -0.5 * H[0]);
    store(Out + 8, 1.0 / 3.0 * D[0]);
    auto alone = 0.1;
    store(Out + 9, alone);
}
---
func @k(%H: const ptr<f16>, %D: const ptr<f64>, %B: const ptr<bf16>, %I: const ptr<i32>, %Out: ptr<f32>) {
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = constant {0} : i64
  %3 = addptr %H, %2 : ptr<f16>
  %4 = load %3 : f16
  %5 = constant {0.5} : f16
  %6 = mul %5, %4 : f16
  %7 = cast %6 : f32
  store %1, %7
  %8 = constant {1} : i64
  %9 = addptr %Out, %8 : ptr<f32>
  %10 = constant {0} : i64
  %11 = addptr %D, %10 : ptr<f64>
  %12 = load %11 : f64
  %13 = constant {0.1} : f64
  %14 = sub %12, %13 : f64
  %15 = cast %14 : f32
  store %9, %15
  %16 = constant {2} : i64
  %17 = addptr %Out, %16 : ptr<f32>
  %18 = constant {0} : i64
  %19 = addptr %B, %18 : ptr<bf16>
  %20 = load %19 : bf16
  %21 = constant {1.0} : bf16
  %22 = add %20, %21 : bf16
  %23 = cast %22 : f32
  store %17, %23
  %24 = constant {3} : i64
  %25 = addptr %Out, %24 : ptr<f32>
  %26 = constant {0} : i64
  %27 = addptr %I, %26 : ptr<i32>
  %28 = load %27 : i32
  %29 = cast %28 : f32
  %30 = constant {0.5} : f32
  %31 = mul %29, %30 : f32
  store %25, %31
  %32 = constant {4} : i64
  %33 = addptr %Out, %32 : ptr<f32>
  %34 = constant {0} : i64
  %35 = addptr %H, %34 : ptr<f16>
  %36 = load %35 : f16
  %37 = constant {0.0} : f16
  %38 = gt %36, %37 : bool
  %39 = constant {0} : i64
  %40 = addptr %H, %39 : ptr<f16>
  %41 = load %40 : f16
  %42 = constant {-inf} : f16
  %43 = select %38, %41, %42 : f16
  %44 = cast %43 : f32
  store %33, %44
  %45 = constant {5} : i64
  %46 = addptr %Out, %45 : ptr<f32>
  %47 = constant {0} : i64
  %48 = addptr %D, %47 : ptr<f64>
  %49 = load %48 : f64
  %50 = constant {nan} : f64
  %51 = maximum %49, %50 : f64
  %52 = cast %51 : f32
  store %46, %52
  %53 = constant {6} : i64
  %54 = addptr %Out, %53 : ptr<f32>
  %55 = constant {0} : i64
  %56 = addptr %H, %55 : ptr<f16>
  %57 = load %56 : f16
  %58 = cast %57 : f32
  %59 = constant {0.5} : f32
  %60 = mul %59, %58 : f32
  store %54, %60
  %61 = constant {7} : i64
  %62 = addptr %Out, %61 : ptr<f32>
  %63 = constant {0} : i64
  %64 = addptr %H, %63 : ptr<f16>
  %65 = load %64 : f16
  %66 = constant {-0.5} : f16
  %67 = mul %66, %65 : f16
  %68 = cast %67 : f32
  store %62, %68
  %69 = constant {8} : i64
  %70 = addptr %Out, %69 : ptr<f32>
  %71 = constant {0} : i64
  %72 = addptr %D, %71 : ptr<f64>
  %73 = load %72 : f64
  %74 = constant {0.3333333333333333} : f64
  %75 = mul %74, %73 : f64
  %76 = cast %75 : f32
  store %70, %76
  %alone = constant {0.1} : f32
  %77 = constant {9} : i64
  %78 = addptr %Out, %77 : ptr<f32>
  store %78, %alone
  return
}
