// args: --only fold,cse,licm,dce,unroll_short_loops,fold,cse,dce
// Which loads make a nest that is read from too many places: 4 KB apart from trip to trip (five of
// them; four do not), places that are not known (ten), masks (17). Neighbours without masks may be
// many.
kernel void k(const float *restrict X, float *restrict Out, int n)
{
    int i = arange(0, 1024);
    float x = zeros(float, 1024);
    for (int a = 0; a < 5; a++)
        x = x * 2 + load(X + a * 1024 + i);
    for (int a = 0; a < 10; a++)
        x = x * 3 + load(X + a * n + i);
    for (int a = 0; a < 17; a++)
        x = x * 4 + load(X + a + i, a + i < n);
    store(Out + i, x);
    for (int a = 0; a < 4; a++)
        x = x * 5 + load(X + a * 1024 + i);
    store(Out + 1024 + i, x);
    for (int a = 0; a < 18; a++)
        x = x * 6 + load(X + a + i);
    store(Out + 2048 + i, x);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 1024} : i64[1024]
  %x = constant {0.0} : f32[1024]
  %0 = constant {0} : i64
  %1 = constant {5} : i64
  %2 = constant {1} : i64
  %x.1 = for %a = %0 to %1 step %2 carry (%x.2 = %x) : f32[1024] {
    %3 = constant {2.0} : f32[1024]
    %4 = constant {1024} : i64
    %5 = mul %a, %4 : i64
    %6 = addptr %X, %5 : ptr<f32>
    %7 = broadcast %6 : ptr<f32>[1024]
    %8 = addptr %7, %i : ptr<f32>[1024]
    %9 = load %8 : f32[1024]
    %x.3 = fma %x.2, %3, %9 : f32[1024]
    yield %x.3
  }
  %10 = constant {10} : i64
  %x.4 = for %a.1 = %0 to %10 step %2 carry (%x.5 = %x.1) : f32[1024] {
    %11 = constant {3.0} : f32[1024]
    %12 = mul %a.1, %n.1 : i64
    %13 = addptr %X, %12 : ptr<f32>
    %14 = broadcast %13 : ptr<f32>[1024]
    %15 = addptr %14, %i : ptr<f32>[1024]
    %16 = load %15 : f32[1024]
    %x.6 = fma %x.5, %11, %16 : f32[1024]
    yield %x.6
  }
  %17 = constant {17} : i64
  %x.7 = for %a.2 = %0 to %17 step %2 carry (%x.8 = %x.4) : f32[1024] {
    %18 = constant {4.0} : f32[1024]
    %19 = addptr %X, %a.2 : ptr<f32>
    %20 = broadcast %19 : ptr<f32>[1024]
    %21 = addptr %20, %i : ptr<f32>[1024]
    %22 = broadcast %a.2 : i64[1024]
    %23 = add %22, %i : i64[1024]
    %24 = broadcast %n.1 : i64[1024]
    %25 = lt %23, %24 : bool[1024]
    %26 = load %21, %25, %x : f32[1024]
    %x.9 = fma %x.8, %18, %26 : f32[1024]
    yield %x.9
  }
  %27 = broadcast %Out : ptr<f32>[1024]
  %28 = addptr %27, %i : ptr<f32>[1024]
  store %28, %x.7
  %29 = constant {4} : i64
  %30 = constant {5.0} : f32[1024]
  %31 = constant {1024} : i64
  %32 = broadcast %X : ptr<f32>[1024]
  %33 = addptr %32, %i : ptr<f32>[1024]
  %34 = load %33 : f32[1024]
  %x.10 = fma %x.7, %30, %34 : f32[1024]
  %35 = addptr %X, %31 : ptr<f32>
  %36 = broadcast %35 : ptr<f32>[1024]
  %37 = addptr %36, %i : ptr<f32>[1024]
  %38 = load %37 : f32[1024]
  %x.11 = fma %x.10, %30, %38 : f32[1024]
  %39 = constant {2} : i64
  %40 = constant {2048} : i64
  %41 = addptr %X, %40 : ptr<f32>
  %42 = broadcast %41 : ptr<f32>[1024]
  %43 = addptr %42, %i : ptr<f32>[1024]
  %44 = load %43 : f32[1024]
  %x.12 = fma %x.11, %30, %44 : f32[1024]
  %45 = constant {3} : i64
  %46 = constant {3072} : i64
  %47 = addptr %X, %46 : ptr<f32>
  %48 = broadcast %47 : ptr<f32>[1024]
  %49 = addptr %48, %i : ptr<f32>[1024]
  %50 = load %49 : f32[1024]
  %x.13 = fma %x.12, %30, %50 : f32[1024]
  %51 = addptr %Out, %31 : ptr<f32>
  %52 = broadcast %51 : ptr<f32>[1024]
  %53 = addptr %52, %i : ptr<f32>[1024]
  store %53, %x.13
  %54 = constant {6.0} : f32[1024]
  %x.14 = fma %x.13, %54, %34 : f32[1024]
  %55 = addptr %X, %2 : ptr<f32>
  %56 = broadcast %55 : ptr<f32>[1024]
  %57 = addptr %56, %i : ptr<f32>[1024]
  %58 = load %57 : f32[1024]
  %x.15 = fma %x.14, %54, %58 : f32[1024]
  %59 = addptr %X, %39 : ptr<f32>
  %60 = broadcast %59 : ptr<f32>[1024]
  %61 = addptr %60, %i : ptr<f32>[1024]
  %62 = load %61 : f32[1024]
  %x.16 = fma %x.15, %54, %62 : f32[1024]
  %63 = addptr %X, %45 : ptr<f32>
  %64 = broadcast %63 : ptr<f32>[1024]
  %65 = addptr %64, %i : ptr<f32>[1024]
  %66 = load %65 : f32[1024]
  %x.17 = fma %x.16, %54, %66 : f32[1024]
  %67 = addptr %X, %29 : ptr<f32>
  %68 = broadcast %67 : ptr<f32>[1024]
  %69 = addptr %68, %i : ptr<f32>[1024]
  %70 = load %69 : f32[1024]
  %x.18 = fma %x.17, %54, %70 : f32[1024]
  %71 = addptr %X, %1 : ptr<f32>
  %72 = broadcast %71 : ptr<f32>[1024]
  %73 = addptr %72, %i : ptr<f32>[1024]
  %74 = load %73 : f32[1024]
  %x.19 = fma %x.18, %54, %74 : f32[1024]
  %75 = constant {6} : i64
  %76 = addptr %X, %75 : ptr<f32>
  %77 = broadcast %76 : ptr<f32>[1024]
  %78 = addptr %77, %i : ptr<f32>[1024]
  %79 = load %78 : f32[1024]
  %x.20 = fma %x.19, %54, %79 : f32[1024]
  %80 = constant {7} : i64
  %81 = addptr %X, %80 : ptr<f32>
  %82 = broadcast %81 : ptr<f32>[1024]
  %83 = addptr %82, %i : ptr<f32>[1024]
  %84 = load %83 : f32[1024]
  %x.21 = fma %x.20, %54, %84 : f32[1024]
  %85 = constant {8} : i64
  %86 = addptr %X, %85 : ptr<f32>
  %87 = broadcast %86 : ptr<f32>[1024]
  %88 = addptr %87, %i : ptr<f32>[1024]
  %89 = load %88 : f32[1024]
  %x.22 = fma %x.21, %54, %89 : f32[1024]
  %90 = constant {9} : i64
  %91 = addptr %X, %90 : ptr<f32>
  %92 = broadcast %91 : ptr<f32>[1024]
  %93 = addptr %92, %i : ptr<f32>[1024]
  %94 = load %93 : f32[1024]
  %x.23 = fma %x.22, %54, %94 : f32[1024]
  %95 = addptr %X, %10 : ptr<f32>
  %96 = broadcast %95 : ptr<f32>[1024]
  %97 = addptr %96, %i : ptr<f32>[1024]
  %98 = load %97 : f32[1024]
  %x.24 = fma %x.23, %54, %98 : f32[1024]
  %99 = constant {11} : i64
  %100 = addptr %X, %99 : ptr<f32>
  %101 = broadcast %100 : ptr<f32>[1024]
  %102 = addptr %101, %i : ptr<f32>[1024]
  %103 = load %102 : f32[1024]
  %x.25 = fma %x.24, %54, %103 : f32[1024]
  %104 = constant {12} : i64
  %105 = addptr %X, %104 : ptr<f32>
  %106 = broadcast %105 : ptr<f32>[1024]
  %107 = addptr %106, %i : ptr<f32>[1024]
  %108 = load %107 : f32[1024]
  %x.26 = fma %x.25, %54, %108 : f32[1024]
  %109 = constant {13} : i64
  %110 = addptr %X, %109 : ptr<f32>
  %111 = broadcast %110 : ptr<f32>[1024]
  %112 = addptr %111, %i : ptr<f32>[1024]
  %113 = load %112 : f32[1024]
  %x.27 = fma %x.26, %54, %113 : f32[1024]
  %114 = constant {14} : i64
  %115 = addptr %X, %114 : ptr<f32>
  %116 = broadcast %115 : ptr<f32>[1024]
  %117 = addptr %116, %i : ptr<f32>[1024]
  %118 = load %117 : f32[1024]
  %x.28 = fma %x.27, %54, %118 : f32[1024]
  %119 = constant {15} : i64
  %120 = addptr %X, %119 : ptr<f32>
  %121 = broadcast %120 : ptr<f32>[1024]
  %122 = addptr %121, %i : ptr<f32>[1024]
  %123 = load %122 : f32[1024]
  %x.29 = fma %x.28, %54, %123 : f32[1024]
  %124 = constant {16} : i64
  %125 = addptr %X, %124 : ptr<f32>
  %126 = broadcast %125 : ptr<f32>[1024]
  %127 = addptr %126, %i : ptr<f32>[1024]
  %128 = load %127 : f32[1024]
  %x.30 = fma %x.29, %54, %128 : f32[1024]
  %129 = addptr %X, %17 : ptr<f32>
  %130 = broadcast %129 : ptr<f32>[1024]
  %131 = addptr %130, %i : ptr<f32>[1024]
  %132 = load %131 : f32[1024]
  %x.31 = fma %x.30, %54, %132 : f32[1024]
  %133 = addptr %Out, %40 : ptr<f32>
  %134 = broadcast %133 : ptr<f32>[1024]
  %135 = addptr %134, %i : ptr<f32>[1024]
  store %135, %x.31
  return
}
