// Functions keep the type of their operand; integers become float.
kernel void k(const half *H, const double *D, float *Out, int n)
{
    store(Out + 0, exp(H[0]) + exp(1));
    store(Out + 1, sqrt(D[0]));
    store(Out + 2, sqrt(n));
    store(Out + 3, pow(H[0], 2));
    store(Out + 4, fma(n, 2, D[0]));
    store(Out + 5, abs(H[0]) + abs(n));
    store(Out + 6, fmax(H[0], 0) + fmin(1, 2));
    store(Out + 7, isnan(H[0]) || isinf(D[0]) || signbit(1.0f));
    store(Out + 8, floor(D[0]) + round(H[0]));
    store(Out + 9, bitcast(float, n));
    store(Out + 10, cast(int8_t, 300.0f));
    store(Out + 11, maximum(n, 3));
    store(Out + 12, expm1(H[0]) + log1p(n));
}
---
func @k(%H: const ptr<f16>, %D: const ptr<f64>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = constant {0} : i64
  %3 = addptr %H, %2 : ptr<f16>
  %4 = load %3 : f16
  %5 = exp %4 : f16
  %6 = constant {1.0} : f32
  %7 = exp %6 : f32
  %8 = cast %5 : f32
  %9 = add %8, %7 : f32
  store %1, %9
  %10 = constant {1} : i64
  %11 = addptr %Out, %10 : ptr<f32>
  %12 = constant {0} : i64
  %13 = addptr %D, %12 : ptr<f64>
  %14 = load %13 : f64
  %15 = sqrt %14 : f64
  %16 = cast %15 : f32
  store %11, %16
  %17 = constant {2} : i64
  %18 = addptr %Out, %17 : ptr<f32>
  %19 = cast %n.1 : f32
  %20 = sqrt %19 : f32
  store %18, %20
  %21 = constant {3} : i64
  %22 = addptr %Out, %21 : ptr<f32>
  %23 = constant {0} : i64
  %24 = addptr %H, %23 : ptr<f16>
  %25 = load %24 : f16
  %26 = constant {2.0} : f16
  %27 = pow %25, %26 : f16
  %28 = cast %27 : f32
  store %22, %28
  %29 = constant {4} : i64
  %30 = addptr %Out, %29 : ptr<f32>
  %31 = constant {0} : i64
  %32 = addptr %D, %31 : ptr<f64>
  %33 = load %32 : f64
  %34 = cast %n.1 : f64
  %35 = constant {2.0} : f64
  %36 = fma %34, %35, %33 : f64
  %37 = cast %36 : f32
  store %30, %37
  %38 = constant {5} : i64
  %39 = addptr %Out, %38 : ptr<f32>
  %40 = constant {0} : i64
  %41 = addptr %H, %40 : ptr<f16>
  %42 = load %41 : f16
  %43 = abs %42 : f16
  %44 = abs %n.1 : i64
  %45 = cast %44 : f16
  %46 = add %43, %45 : f16
  %47 = cast %46 : f32
  store %39, %47
  %48 = constant {6} : i64
  %49 = addptr %Out, %48 : ptr<f32>
  %50 = constant {0} : i64
  %51 = addptr %H, %50 : ptr<f16>
  %52 = load %51 : f16
  %53 = constant {0.0} : f16
  %54 = fmax %52, %53 : f16
  %55 = cast %54 : f32
  %56 = constant {1.0} : f32
  %57 = add %55, %56 : f32
  store %49, %57
  %58 = constant {7} : i64
  %59 = addptr %Out, %58 : ptr<f32>
  %60 = constant {0} : i64
  %61 = addptr %H, %60 : ptr<f16>
  %62 = load %61 : f16
  %63 = isnan %62 : bool
  %64 = if %63 : bool {
    %65 = constant {true} : bool
    yield %65
  } else {
    %66 = constant {0} : i64
    %67 = addptr %D, %66 : ptr<f64>
    %68 = load %67 : f64
    %69 = isinf %68 : bool
    yield %69
  }
  %70 = constant {false} : bool
  %71 = or %64, %70 : bool
  %72 = cast %71 : f32
  store %59, %72
  %73 = constant {8} : i64
  %74 = addptr %Out, %73 : ptr<f32>
  %75 = constant {0} : i64
  %76 = addptr %D, %75 : ptr<f64>
  %77 = load %76 : f64
  %78 = floor %77 : f64
  %79 = constant {0} : i64
  %80 = addptr %H, %79 : ptr<f16>
  %81 = load %80 : f16
  %82 = round %81 : f16
  %83 = cast %82 : f64
  %84 = add %78, %83 : f64
  %85 = cast %84 : f32
  store %74, %85
  %86 = constant {9} : i64
  %87 = addptr %Out, %86 : ptr<f32>
  %88 = cast %n.1 : i32
  %89 = bitcast %88 : f32
  store %87, %89
  %90 = constant {10} : i64
  %91 = addptr %Out, %90 : ptr<f32>
  %92 = constant {127.0} : f32
  store %91, %92
  %93 = constant {11} : i64
  %94 = addptr %Out, %93 : ptr<f32>
  %95 = constant {3} : i64
  %96 = maximum %n.1, %95 : i64
  %97 = cast %96 : f32
  store %94, %97
  %98 = constant {12} : i64
  %99 = addptr %Out, %98 : ptr<f32>
  %100 = constant {0} : i64
  %101 = addptr %H, %100 : ptr<f16>
  %102 = load %101 : f16
  %103 = expm1 %102 : f16
  %104 = cast %n.1 : f32
  %105 = log1p %104 : f32
  %106 = cast %103 : f32
  %107 = add %106, %105 : f32
  store %99, %107
  return
}
