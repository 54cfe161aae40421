// args: --only fold,cse,licm,dce,unroll_carrying_loops,fold,cse,dce
// A filter that stores in each trip: several trips at a time, as nothing that it reads is written. The second may read
// what it wrote, and stays.
kernel void apart(const float *restrict X, float *restrict Out, int n)
{
    int c = arange(0, 64);
    float s = zeros(float, 64);
    for (int t = 0; t < n; t++) {
        float x = load(X + t * n + c), y = x + s;
        s = sqrt(sqrt(x - y)) * 0.5f + sqrt(sqrt(y * y + s));
        s = sqrt(sqrt(s) + 1.0f) * sqrt(x);
        store(Out + t * n + c, y);
    }
}
kernel void together(float *X, int n)
{
    int c = arange(0, 64);
    float s = zeros(float, 64);
    for (int t = 1; t < n; t++) {
        s = load(X + t * n + c) + 0.5f * s;
        store(X + (t - 1) * n + c, s);
    }
}
---
func @apart(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %c = arange {0 to 64} : i64[64]
  %s = constant {0.0} : f32[64]
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  %2 = constant {8} : i64
  %3 = maximum %n.1, %0 : i64
  %4 = div %3, %2 : i64
  %5 = mul %4, %2 : i64
  %s.1 = for %t = %0 to %5 step %2 carry (%s.2 = %s) : f32[64] {
    %6 = mul %t, %n.1 : i64
    %7 = addptr %X, %6 : ptr<f32>
    %8 = broadcast %7 : ptr<f32>[64]
    %9 = addptr %8, %c : ptr<f32>[64]
    %x = load %9 : f32[64]
    %y = add %x, %s.2 : f32[64]
    %10 = sub %x, %y : f32[64]
    %11 = sqrt %10 : f32[64]
    %12 = sqrt %11 : f32[64]
    %13 = constant {0.5} : f32[64]
    %14 = fma %y, %y, %s.2 : f32[64]
    %15 = sqrt %14 : f32[64]
    %16 = sqrt %15 : f32[64]
    %s.3 = fma %12, %13, %16 : f32[64]
    %17 = sqrt %s.3 : f32[64]
    %18 = constant {1.0} : f32[64]
    %19 = add %17, %18 : f32[64]
    %20 = sqrt %19 : f32[64]
    %21 = sqrt %x : f32[64]
    %s.4 = mul %20, %21 : f32[64]
    %22 = addptr %Out, %6 : ptr<f32>
    %23 = broadcast %22 : ptr<f32>[64]
    %24 = addptr %23, %c : ptr<f32>[64]
    store %24, %y
    %25 = add %t, %1 : i64
    %26 = mul %25, %n.1 : i64
    %27 = addptr %X, %26 : ptr<f32>
    %28 = broadcast %27 : ptr<f32>[64]
    %29 = addptr %28, %c : ptr<f32>[64]
    %x.1 = load %29 : f32[64]
    %y.1 = add %x.1, %s.4 : f32[64]
    %30 = sub %x.1, %y.1 : f32[64]
    %31 = sqrt %30 : f32[64]
    %32 = sqrt %31 : f32[64]
    %33 = fma %y.1, %y.1, %s.4 : f32[64]
    %34 = sqrt %33 : f32[64]
    %35 = sqrt %34 : f32[64]
    %s.5 = fma %32, %13, %35 : f32[64]
    %36 = sqrt %s.5 : f32[64]
    %37 = add %36, %18 : f32[64]
    %38 = sqrt %37 : f32[64]
    %39 = sqrt %x.1 : f32[64]
    %s.6 = mul %38, %39 : f32[64]
    %40 = addptr %Out, %26 : ptr<f32>
    %41 = broadcast %40 : ptr<f32>[64]
    %42 = addptr %41, %c : ptr<f32>[64]
    store %42, %y.1
    %43 = constant {2} : i64
    %44 = add %t, %43 : i64
    %45 = mul %44, %n.1 : i64
    %46 = addptr %X, %45 : ptr<f32>
    %47 = broadcast %46 : ptr<f32>[64]
    %48 = addptr %47, %c : ptr<f32>[64]
    %x.2 = load %48 : f32[64]
    %y.2 = add %x.2, %s.6 : f32[64]
    %49 = sub %x.2, %y.2 : f32[64]
    %50 = sqrt %49 : f32[64]
    %51 = sqrt %50 : f32[64]
    %52 = fma %y.2, %y.2, %s.6 : f32[64]
    %53 = sqrt %52 : f32[64]
    %54 = sqrt %53 : f32[64]
    %s.7 = fma %51, %13, %54 : f32[64]
    %55 = sqrt %s.7 : f32[64]
    %56 = add %55, %18 : f32[64]
    %57 = sqrt %56 : f32[64]
    %58 = sqrt %x.2 : f32[64]
    %s.8 = mul %57, %58 : f32[64]
    %59 = addptr %Out, %45 : ptr<f32>
    %60 = broadcast %59 : ptr<f32>[64]
    %61 = addptr %60, %c : ptr<f32>[64]
    store %61, %y.2
    %62 = constant {3} : i64
    %63 = add %t, %62 : i64
    %64 = mul %63, %n.1 : i64
    %65 = addptr %X, %64 : ptr<f32>
    %66 = broadcast %65 : ptr<f32>[64]
    %67 = addptr %66, %c : ptr<f32>[64]
    %x.3 = load %67 : f32[64]
    %y.3 = add %x.3, %s.8 : f32[64]
    %68 = sub %x.3, %y.3 : f32[64]
    %69 = sqrt %68 : f32[64]
    %70 = sqrt %69 : f32[64]
    %71 = fma %y.3, %y.3, %s.8 : f32[64]
    %72 = sqrt %71 : f32[64]
    %73 = sqrt %72 : f32[64]
    %s.9 = fma %70, %13, %73 : f32[64]
    %74 = sqrt %s.9 : f32[64]
    %75 = add %74, %18 : f32[64]
    %76 = sqrt %75 : f32[64]
    %77 = sqrt %x.3 : f32[64]
    %s.10 = mul %76, %77 : f32[64]
    %78 = addptr %Out, %64 : ptr<f32>
    %79 = broadcast %78 : ptr<f32>[64]
    %80 = addptr %79, %c : ptr<f32>[64]
    store %80, %y.3
    %81 = constant {4} : i64
    %82 = add %t, %81 : i64
    %83 = mul %82, %n.1 : i64
    %84 = addptr %X, %83 : ptr<f32>
    %85 = broadcast %84 : ptr<f32>[64]
    %86 = addptr %85, %c : ptr<f32>[64]
    %x.4 = load %86 : f32[64]
    %y.4 = add %x.4, %s.10 : f32[64]
    %87 = sub %x.4, %y.4 : f32[64]
    %88 = sqrt %87 : f32[64]
    %89 = sqrt %88 : f32[64]
    %90 = fma %y.4, %y.4, %s.10 : f32[64]
    %91 = sqrt %90 : f32[64]
    %92 = sqrt %91 : f32[64]
    %s.11 = fma %89, %13, %92 : f32[64]
    %93 = sqrt %s.11 : f32[64]
    %94 = add %93, %18 : f32[64]
    %95 = sqrt %94 : f32[64]
    %96 = sqrt %x.4 : f32[64]
    %s.12 = mul %95, %96 : f32[64]
    %97 = addptr %Out, %83 : ptr<f32>
    %98 = broadcast %97 : ptr<f32>[64]
    %99 = addptr %98, %c : ptr<f32>[64]
    store %99, %y.4
    %100 = constant {5} : i64
    %101 = add %t, %100 : i64
    %102 = mul %101, %n.1 : i64
    %103 = addptr %X, %102 : ptr<f32>
    %104 = broadcast %103 : ptr<f32>[64]
    %105 = addptr %104, %c : ptr<f32>[64]
    %x.5 = load %105 : f32[64]
    %y.5 = add %x.5, %s.12 : f32[64]
    %106 = sub %x.5, %y.5 : f32[64]
    %107 = sqrt %106 : f32[64]
    %108 = sqrt %107 : f32[64]
    %109 = fma %y.5, %y.5, %s.12 : f32[64]
    %110 = sqrt %109 : f32[64]
    %111 = sqrt %110 : f32[64]
    %s.13 = fma %108, %13, %111 : f32[64]
    %112 = sqrt %s.13 : f32[64]
    %113 = add %112, %18 : f32[64]
    %114 = sqrt %113 : f32[64]
    %115 = sqrt %x.5 : f32[64]
    %s.14 = mul %114, %115 : f32[64]
    %116 = addptr %Out, %102 : ptr<f32>
    %117 = broadcast %116 : ptr<f32>[64]
    %118 = addptr %117, %c : ptr<f32>[64]
    store %118, %y.5
    %119 = constant {6} : i64
    %120 = add %t, %119 : i64
    %121 = mul %120, %n.1 : i64
    %122 = addptr %X, %121 : ptr<f32>
    %123 = broadcast %122 : ptr<f32>[64]
    %124 = addptr %123, %c : ptr<f32>[64]
    %x.6 = load %124 : f32[64]
    %y.6 = add %x.6, %s.14 : f32[64]
    %125 = sub %x.6, %y.6 : f32[64]
    %126 = sqrt %125 : f32[64]
    %127 = sqrt %126 : f32[64]
    %128 = fma %y.6, %y.6, %s.14 : f32[64]
    %129 = sqrt %128 : f32[64]
    %130 = sqrt %129 : f32[64]
    %s.15 = fma %127, %13, %130 : f32[64]
    %131 = sqrt %s.15 : f32[64]
    %132 = add %131, %18 : f32[64]
    %133 = sqrt %132 : f32[64]
    %134 = sqrt %x.6 : f32[64]
    %s.16 = mul %133, %134 : f32[64]
    %135 = addptr %Out, %121 : ptr<f32>
    %136 = broadcast %135 : ptr<f32>[64]
    %137 = addptr %136, %c : ptr<f32>[64]
    store %137, %y.6
    %138 = constant {7} : i64
    %139 = add %t, %138 : i64
    %140 = mul %139, %n.1 : i64
    %141 = addptr %X, %140 : ptr<f32>
    %142 = broadcast %141 : ptr<f32>[64]
    %143 = addptr %142, %c : ptr<f32>[64]
    %x.7 = load %143 : f32[64]
    %y.7 = add %x.7, %s.16 : f32[64]
    %144 = sub %x.7, %y.7 : f32[64]
    %145 = sqrt %144 : f32[64]
    %146 = sqrt %145 : f32[64]
    %147 = fma %y.7, %y.7, %s.16 : f32[64]
    %148 = sqrt %147 : f32[64]
    %149 = sqrt %148 : f32[64]
    %s.17 = fma %146, %13, %149 : f32[64]
    %150 = sqrt %s.17 : f32[64]
    %151 = add %150, %18 : f32[64]
    %152 = sqrt %151 : f32[64]
    %153 = sqrt %x.7 : f32[64]
    %s.18 = mul %152, %153 : f32[64]
    %154 = addptr %Out, %140 : ptr<f32>
    %155 = broadcast %154 : ptr<f32>[64]
    %156 = addptr %155, %c : ptr<f32>[64]
    store %156, %y.7
    yield %s.18
  }
  %s.19 = for %t.1 = %5 to %n.1 step %1 carry (%s.20 = %s.1) : f32[64] {
    %157 = mul %t.1, %n.1 : i64
    %158 = addptr %X, %157 : ptr<f32>
    %159 = broadcast %158 : ptr<f32>[64]
    %160 = addptr %159, %c : ptr<f32>[64]
    %x.8 = load %160 : f32[64]
    %y.8 = add %x.8, %s.20 : f32[64]
    %161 = sub %x.8, %y.8 : f32[64]
    %162 = sqrt %161 : f32[64]
    %163 = sqrt %162 : f32[64]
    %164 = constant {0.5} : f32[64]
    %165 = fma %y.8, %y.8, %s.20 : f32[64]
    %166 = sqrt %165 : f32[64]
    %167 = sqrt %166 : f32[64]
    %s.21 = fma %163, %164, %167 : f32[64]
    %168 = sqrt %s.21 : f32[64]
    %169 = constant {1.0} : f32[64]
    %170 = add %168, %169 : f32[64]
    %171 = sqrt %170 : f32[64]
    %172 = sqrt %x.8 : f32[64]
    %s.22 = mul %171, %172 : f32[64]
    %173 = addptr %Out, %157 : ptr<f32>
    %174 = broadcast %173 : ptr<f32>[64]
    %175 = addptr %174, %c : ptr<f32>[64]
    store %175, %y.8
    yield %s.22
  }
  return
}
