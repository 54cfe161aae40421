// args: -D BLOCK=256 --require threads=64
// Threads meet once for a mean and for squared distances from it, and again only where that does
// not do; what is only read is loaded in front of the branch.
#include <tilec/kernel.h>
launch_grid(norm, rows);
kernel void norm(const half *restrict X, const half *restrict W, half *restrict Out, int rows,
                 int n, constexpr int BLOCK)
{
    int i = arange(0, BLOCK);
    float x = load(X + program_id(0) * n + i, i < n);
    float mean = sum(x) / n;
    float d = where(i < n, x - mean, 0.0f);
    float q = sum(d * d);
    store(Out + program_id(0) * n + i, d * q * (float)load(W + i, i < n), i < n);
}
---
func @norm(%X: const restrict ptr<f16>, %W: const restrict ptr<f16>, %Out: restrict ptr<f16>, %rows: i32, %n: i32) {
  %reduce_0 = shared {"reduce_0" 6 padding 0} : ptr<f32, threadgroup>
  %reduce_1 = shared {"reduce_1" 2 padding 0} : ptr<f32, threadgroup>
  %n.1 = cast %n : i64
  %0 = thread_index {0 to 64} : i64
  %1 = cast %0 : i32
  %2 = constant {4} : i64
  %3 = constant {4} : i32
  %4 = mul %0, %2 : i64
  %5 = mul %1, %3 : i32
  %6 = constant {3} : i64
  %7 = constant {3} : i32
  %8 = constant {0} : i64
  %9 = constant {0} : i32
  %10 = constant {1} : i64
  %11 = constant {1} : i32
  %12 = constant {2} : i64
  %13 = constant {2} : i32
  %14 = arange {0 to 4} : i64[4]
  %15 = broadcast %4 : i64[4]
  %16 = add %4, %6 : i64
  %17 = add %5, %7 : i32
  %18 = add %4, %10 : i64
  %19 = add %5, %11 : i32
  %20 = add %4, %12 : i64
  %21 = add %5, %13 : i32
  %22 = add %15, %14 : i64[4]
  %23 = program_id {axis 0} : i64
  %24 = mul %23, %n.1 : i64
  %25 = addptr %X, %24 : ptr<f16>
  %26 = broadcast %n.1 : i64[4]
  %27 = lt %17, %n : bool
  %28 = lt %5, %n : bool
  %29 = lt %19, %n : bool
  %30 = lt %21, %n : bool
  %31 = lt %22, %26 : bool[4]
  %32 = constant {0.0} : f16
  %33 = if %27 : f16[4] {
    %34 = addptr %25, %4 : ptr<f16>
    %35 = vector_load {packed} %34 : f16[4]
    yield %35
  } else {
    %36 = addptr %25, %4 : ptr<f16>
    %37 = load %36, %28, %32 : f16
    %38 = addptr %25, %18 : ptr<f16>
    %39 = load %38, %29, %32 : f16
    %40 = addptr %25, %20 : ptr<f16>
    %41 = load %40, %30, %32 : f16
    %42 = addptr %25, %16 : ptr<f16>
    %43 = load %42, %27, %32 : f16
    %44 = pack %37, %39, %41, %43 : f16[4]
    yield %44
  }
  %x = cast %33 : f32[4]
  %45 = mul %x, %x : f32[4]
  %46 = extract {0} %x : f32
  %47 = extract {1} %x : f32
  %48 = extract {2} %x : f32
  %49 = extract {3} %x : f32
  %50 = add %46, %48 : f32
  %51 = add %47, %49 : f32
  %52 = add %50, %51 : f32
  %53 = extract {0} %45 : f32
  %54 = extract {1} %45 : f32
  %55 = extract {2} %45 : f32
  %56 = extract {3} %45 : f32
  %57 = add %53, %55 : f32
  %58 = add %54, %56 : f32
  %59 = add %57, %58 : f32
  %60 = if %27 : f16[4] {
    %61 = addptr %W, %4 : ptr<f16>
    %62 = vector_load {packed} %61 : f16[4]
    yield %62
  } else {
    %63 = addptr %W, %4 : ptr<f16>
    %64 = load %63, %28, %32 : f16
    %65 = addptr %W, %18 : ptr<f16>
    %66 = load %65, %29, %32 : f16
    %67 = addptr %W, %20 : ptr<f16>
    %68 = load %67, %30, %32 : f16
    %69 = addptr %W, %16 : ptr<f16>
    %70 = load %69, %27, %32 : f16
    %71 = pack %64, %66, %68, %70 : f16[4]
    yield %71
  }
  %72 = group_sum %52 : f32
  %73 = group_sum %59 : f32
  %74 = lane_index {0 to 32} : i64
  %75 = cast %74 : i32
  %76 = eq %75, %9 : bool
  %77 = constant {5} : i32
  %78 = shr %1, %77 : i32
  %79 = cast %78 : i64
  %80 = addptr %reduce_0, %79 : ptr<f32, threadgroup>
  store %80, %72, %76
  %81 = addptr %80, %12 : ptr<f32, threadgroup>
  store %81, %73, %76
  %82 = addptr %80, %2 : ptr<f32, threadgroup>
  store %82, %46, %76
  barrier {threadgroup}
  %83 = lt %75, %13 : bool
  %84 = constant {-0.0} : f32
  %85 = cast %75 : i64
  %86 = addptr %reduce_0, %85 : ptr<f32, threadgroup>
  %87 = load %86, %83, %84 : f32
  %88 = group_sum %87 : f32
  %89 = addptr %86, %12 : ptr<f32, threadgroup>
  %90 = load %89, %83, %84 : f32
  %91 = group_sum %90 : f32
  %92 = addptr %reduce_0, %2 : ptr<f32, threadgroup>
  %93 = load %92 : f32
  %94 = cast %n : f32
  %mean = div %88, %94 : f32
  %95 = broadcast %mean : f32[4]
  %96 = sub %x, %95 : f32[4]
  %97 = constant {0.0} : f32[4]
  %d = select %31, %96, %97 : f32[4]
  %98 = mul %d, %d : f32[4]
  %99 = constant {256} : i64
  %100 = minimum %n.1, %99 : i64
  %101 = maximum %100, %8 : i64
  %102 = cast %101 : f32
  %103 = constant {-2.0} : f32
  %104 = mul %88, %103 : f32
  %105 = fma %102, %mean, %104 : f32
  %106 = fma %mean, %105, %91 : f32
  %107 = constant {4.0} : f32
  %108 = mul %106, %107 : f32
  %109 = le %91, %108 : bool
  %110 = mul %102, %mean : f32
  %111 = mul %110, %mean : f32
  %112 = constant {3.5} : f32
  %113 = mul %106, %112 : f32
  %114 = le %111, %113 : bool
  %115 = and %109, %114 : bool
  %116 = constant {1.329228e36} : f32
  %117 = le %106, %116 : bool
  %118 = and %115, %117 : bool
  %119 = constant {0x12800000} : f32
  %120 = ge %106, %119 : bool
  %121 = and %118, %120 : bool
  %122 = sub %93, %mean : f32
  %123 = mul %122, %122 : f32
  %124 = constant {2139095040} : i32
  %125 = bitcast %106 : i32
  %126 = and %125, %124 : i32
  %127 = constant {0.5} : f32
  %128 = bitcast %126 : f32
  %129 = mul %128, %127 : f32
  %130 = add %123, %129 : f32
  %131 = sub %130, %129 : f32
  %132 = constant {0.25} : f32
  %133 = mul %106, %132 : f32
  %134 = le %123, %133 : bool
  %135 = ne %131, %123 : bool
  %136 = and %135, %134 : bool
  %137 = and %121, %136 : bool
  %q = if %137 : f32 {
    yield %106
  } else {
    %138 = extract {0} %98 : f32
    %139 = extract {1} %98 : f32
    %140 = extract {2} %98 : f32
    %141 = extract {3} %98 : f32
    %142 = add %138, %140 : f32
    %143 = add %139, %141 : f32
    %144 = add %142, %143 : f32
    %145 = group_sum %144 : f32
    %146 = addptr %reduce_1, %79 : ptr<f32, threadgroup>
    store %146, %145, %76
    barrier {threadgroup}
    %147 = addptr %reduce_1, %85 : ptr<f32, threadgroup>
    %148 = load %147, %83, %84 : f32
    %149 = group_sum %148 : f32
    yield %149
  }
  %150 = addptr %Out, %24 : ptr<f16>
  %151 = broadcast %q : f32[4]
  %152 = cast %60 : f32[4]
  %153 = mul %d, %151 : f32[4]
  %154 = mul %153, %152 : f32[4]
  %155 = cast %154 : f16[4]
  if %27 {
    %156 = addptr %150, %4 : ptr<f16>
    vector_store {packed} %156, %155
    yield
  } else {
    %157 = extract {0} %155 : f16
    %158 = addptr %150, %4 : ptr<f16>
    store %158, %157, %28
    %159 = extract {1} %155 : f16
    %160 = addptr %150, %18 : ptr<f16>
    store %160, %159, %29
    %161 = extract {2} %155 : f16
    %162 = addptr %150, %20 : ptr<f16>
    store %162, %161, %30
    %163 = extract {3} %155 : f16
    %164 = addptr %150, %16 : ptr<f16>
    store %164, %163, %27
    yield
  }
  return
}
