// half, bfloat and float give float, int8 int, double double; the sum is optional.
kernel void k(const half *A, const int8_t *C, const double *D, float *Out, int *I, double *E)
{
    auto a = view(A, 4, 8);
    auto c = view(C, 4, 8);
    auto d = view(D, 4, 8);
    float acc = dot(tile_load(a, 0, 0, 4, 8), trans(tile_load(a, 0, 0, 4, 8)));
    acc = dot(tile_load(a, 0, 0, 4, 8), trans(tile_load(a, 0, 0, 4, 8)), acc);
    tile_store(view(Out, 4, 4), 0, 0, acc);
    tile_store(view(I, 4, 4), 0, 0, dot(tile_load(c, 0, 0, 4, 8), trans(tile_load(c, 0, 0, 4, 8)), 1));
    tile_store(view(E, 4, 4), 0, 0, dot(tile_load(d, 0, 0, 4, 8), trans(tile_load(d, 0, 0, 4, 8))));
}
---
func @k(%A: const ptr<f16>, %C: const ptr<i8>, %D: const ptr<f64>, %Out: ptr<f32>, %I: ptr<i32>, %E: ptr<f64>) {
  %0 = constant {4} : i64
  %1 = constant {8} : i64
  %2 = constant {8} : i64
  %3 = constant {1} : i64
  %4 = constant {0} : i64
  %5 = constant {0} : i64
  %6 = constant {0.0} : f16
  %7 = view_load {rank 2} %A, %0, %1, %2, %3, %4, %5, %6 : f16[4, 8]
  %8 = constant {4} : i64
  %9 = constant {8} : i64
  %10 = constant {8} : i64
  %11 = constant {1} : i64
  %12 = constant {0} : i64
  %13 = constant {0} : i64
  %14 = constant {0.0} : f16
  %15 = view_load {rank 2} %A, %8, %9, %10, %11, %12, %13, %14 : f16[4, 8]
  %16 = trans {1 0} %15 : f16[8, 4]
  %17 = constant {0.0} : f32[4, 4]
  %acc = dot %7, %16, %17 : f32[4, 4]
  %18 = constant {4} : i64
  %19 = constant {8} : i64
  %20 = constant {8} : i64
  %21 = constant {1} : i64
  %22 = constant {0} : i64
  %23 = constant {0} : i64
  %24 = constant {0.0} : f16
  %25 = view_load {rank 2} %A, %18, %19, %20, %21, %22, %23, %24 : f16[4, 8]
  %26 = constant {4} : i64
  %27 = constant {8} : i64
  %28 = constant {8} : i64
  %29 = constant {1} : i64
  %30 = constant {0} : i64
  %31 = constant {0} : i64
  %32 = constant {0.0} : f16
  %33 = view_load {rank 2} %A, %26, %27, %28, %29, %30, %31, %32 : f16[4, 8]
  %34 = trans {1 0} %33 : f16[8, 4]
  %acc.1 = dot %25, %34, %acc : f32[4, 4]
  %35 = constant {4} : i64
  %36 = constant {4} : i64
  %37 = constant {4} : i64
  %38 = constant {1} : i64
  %39 = constant {0} : i64
  %40 = constant {0} : i64
  view_store {rank 2} %Out, %35, %36, %37, %38, %39, %40, %acc.1
  %41 = constant {4} : i64
  %42 = constant {8} : i64
  %43 = constant {8} : i64
  %44 = constant {1} : i64
  %45 = constant {0} : i64
  %46 = constant {0} : i64
  %47 = constant {0} : i8
  %48 = view_load {rank 2} %C, %41, %42, %43, %44, %45, %46, %47 : i8[4, 8]
  %49 = constant {4} : i64
  %50 = constant {8} : i64
  %51 = constant {8} : i64
  %52 = constant {1} : i64
  %53 = constant {0} : i64
  %54 = constant {0} : i64
  %55 = constant {0} : i8
  %56 = view_load {rank 2} %C, %49, %50, %51, %52, %53, %54, %55 : i8[4, 8]
  %57 = trans {1 0} %56 : i8[8, 4]
  %58 = constant {1} : i32[4, 4]
  %59 = dot %48, %57, %58 : i32[4, 4]
  %60 = constant {4} : i64
  %61 = constant {4} : i64
  %62 = constant {4} : i64
  %63 = constant {1} : i64
  %64 = constant {0} : i64
  %65 = constant {0} : i64
  view_store {rank 2} %I, %60, %61, %62, %63, %64, %65, %59
  %66 = constant {4} : i64
  %67 = constant {8} : i64
  %68 = constant {8} : i64
  %69 = constant {1} : i64
  %70 = constant {0} : i64
  %71 = constant {0} : i64
  %72 = constant {0.0} : f64
  %73 = view_load {rank 2} %D, %66, %67, %68, %69, %70, %71, %72 : f64[4, 8]
  %74 = constant {4} : i64
  %75 = constant {8} : i64
  %76 = constant {8} : i64
  %77 = constant {1} : i64
  %78 = constant {0} : i64
  %79 = constant {0} : i64
  %80 = constant {0.0} : f64
  %81 = view_load {rank 2} %D, %74, %75, %76, %77, %78, %79, %80 : f64[4, 8]
  %82 = trans {1 0} %81 : f64[8, 4]
  %83 = constant {0.0} : f64[4, 4]
  %84 = dot %73, %82, %83 : f64[4, 4]
  %85 = constant {4} : i64
  %86 = constant {4} : i64
  %87 = constant {4} : i64
  %88 = constant {1} : i64
  %89 = constant {0} : i64
  %90 = constant {0} : i64
  view_store {rank 2} %E, %85, %86, %87, %88, %89, %90, %84
  return
}
