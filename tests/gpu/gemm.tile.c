// args: -D BLOCK_M=16 -D BLOCK_N=8 -D BLOCK_K=8 --require buffering=2 --require swizzle=linear
#include <tilec/kernel.h>
launch_grid(gemm, cdiv(M, BLOCK_M), cdiv(N, BLOCK_N));
kernel void gemm(const half *restrict A, const half *restrict B, half *restrict C, int M, int N,
                 int K, constexpr int BLOCK_M, constexpr int BLOCK_N, constexpr int BLOCK_K)
{
    auto a = view(A, M, K);
    auto b = view(B, K, N);
    int m = program_id(0) * BLOCK_M;
    int n = program_id(1) * BLOCK_N;
    float acc = zeros(float, BLOCK_M, BLOCK_N);
    for (int k = 0; k < K; k += BLOCK_K)
        acc = dot(tile_load(a, m, k, BLOCK_M, BLOCK_K), tile_load(b, k, n, BLOCK_K, BLOCK_N), acc);
    tile_store(view(C, M, N), m, n, maximum(acc, 0.0f));
}
---
func @gemm(%A: const restrict ptr<f16>, %B: const restrict ptr<f16>, %C: restrict ptr<f16>, %M: i32, %N: i32, %K: i32) {
  %shared_a_0 = shared {"shared_a_0" 128 padding 16} : ptr<f16, threadgroup>
  %shared_a_1 = shared {"shared_a_1" 128 padding 16} : ptr<f16, threadgroup>
  %shared_b_0 = shared {"shared_b_0" 64 padding 8} : ptr<f16, threadgroup>
  %shared_b_1 = shared {"shared_b_1" 64 padding 8} : ptr<f16, threadgroup>
  %M.1 = cast %M : i64
  %N.1 = cast %N : i64
  %K.1 = cast %K : i64
  %0 = program_id {axis 0} : i64
  %1 = constant {16} : i64
  %m = mul %0, %1 : i64
  %2 = program_id {axis 1} : i64
  %3 = constant {8} : i64
  %n = mul %2, %3 : i64
  %4 = constant {0.0} : f32[2]
  %5 = constant {0} : i64
  %6 = constant {0} : i32
  %7 = constant {0.0} : f32
  %8 = fragment_fill %7 : f32[8, 8]
  %9 = gt %K, %6 : bool
  %10, %11 = if %9 : (f32[8, 8], f32[8, 8]) {
    %12 = thread_index {0 to 32} : i64
    %13 = cast %12 : i32
    %14 = constant {1} : i64
    %15 = constant {1} : i32
    %16 = shr %12, %14 : i64
    %17 = shr %13, %15 : i32
    %18 = add %m, %16 : i64
    %19 = mul %18, %K.1 : i64
    %20 = lt %18, %M.1 : bool
    %21 = constant {3} : i64
    %22 = constant {3} : i32
    %23 = and %12, %21 : i64
    %24 = and %13, %22 : i32
    %25 = constant {2} : i64
    %26 = constant {2} : i32
    %27 = mul %23, %25 : i64
    %28 = mul %24, %26 : i32
    %29 = add %27, %14 : i64
    %30 = shr %12, %25 : i64
    %31 = shr %13, %26 : i32
    %32 = and %12, %14 : i64
    %33 = and %13, %15 : i32
    %34 = constant {4} : i64
    %35 = constant {4} : i32
    %36 = mul %32, %34 : i64
    %37 = mul %33, %35 : i32
    %38 = add %36, %21 : i64
    %39 = add %37, %22 : i32
    %40 = add %36, %14 : i64
    %41 = add %37, %15 : i32
    %42 = add %36, %25 : i64
    %43 = add %37, %26 : i32
    %44 = lt %31, %K : bool
    %45 = lt %39, %K : bool
    %46 = lt %37, %K : bool
    %47 = lt %41, %K : bool
    %48 = lt %43, %K : bool
    %49 = add %19, %36 : i64
    %50 = add %19, %40 : i64
    %51 = add %19, %42 : i64
    %52 = add %19, %38 : i64
    %53 = and %20, %46 : bool
    %54 = and %20, %47 : bool
    %55 = and %20, %48 : bool
    %56 = and %20, %45 : bool
    %57 = constant {0.0} : f16
    %58 = if %56 : f16[4] {
      %59 = addptr %A, %49 : ptr<f16>
      %60 = vector_load {packed} %59 : f16[4]
      yield %60
    } else {
      %61 = addptr %A, %49 : ptr<f16>
      %62 = load %61, %53, %57 : f16
      %63 = addptr %A, %50 : ptr<f16>
      %64 = load %63, %54, %57 : f16
      %65 = addptr %A, %51 : ptr<f16>
      %66 = load %65, %55, %57 : f16
      %67 = addptr %A, %52 : ptr<f16>
      %68 = load %67, %56, %57 : f16
      %69 = pack %62, %64, %66, %68 : f16[4]
      yield %69
    }
    %70 = mul %30, %N.1 : i64
    %71 = add %n, %29 : i64
    %72 = add %n, %27 : i64
    %73 = lt %71, %N.1 : bool
    %74 = lt %72, %N.1 : bool
    %75 = add %70, %72 : i64
    %76 = add %70, %71 : i64
    %77 = and %44, %74 : bool
    %78 = and %44, %73 : bool
    %79 = if %78 : f16[2] {
      %80 = addptr %B, %75 : ptr<f16>
      %81 = vector_load {packed} %80 : f16[2]
      yield %81
    } else {
      %82 = addptr %B, %75 : ptr<f16>
      %83 = load %82, %77, %57 : f16
      %84 = addptr %B, %76 : ptr<f16>
      %85 = load %84, %78, %57 : f16
      %86 = pack %83, %85 : f16[2]
      yield %86
    }
    %87 = constant {9} : i64
    %88 = constant {9} : i32
    %89 = mul %16, %87 : i64
    %90 = mul %17, %88 : i32
    %91 = add %89, %36 : i64
    %92 = add %90, %37 : i32
    %93 = cast %92 : i64
    %94 = addptr %shared_a_0, %93 : ptr<f16, threadgroup>
    vector_store {packed} %94, %58
    %95 = mul %30, %87 : i64
    %96 = mul %31, %88 : i32
    %97 = add %95, %27 : i64
    %98 = add %96, %28 : i32
    %99 = cast %98 : i64
    %100 = addptr %shared_b_0, %99 : ptr<f16, threadgroup>
    vector_store {packed} %100, %79
    barrier {threadgroup}
    %101 = constant {-9223372036854775800} : i64
    %102 = maximum %K.1, %101 : i64
    %103 = constant {-8} : i64
    %104 = add %102, %103 : i64
    %105, %106, %107, %108, %109, %110 = for %k = %5 to %104 step %3 carry (%111 = %8, %112 = %8, %shared_a_0.1 = %shared_a_0, %shared_a_1.1 = %shared_a_1, %shared_b_0.1 = %shared_b_0, %shared_b_1.1 = %shared_b_1) : (f32[8, 8], f32[8, 8], ptr<f16, threadgroup>, ptr<f16, threadgroup>, ptr<f16, threadgroup>, ptr<f16, threadgroup>) {
      %113 = add %k, %3 : i64
      %114 = add %113, %30 : i64
      %115 = add %113, %38 : i64
      %116 = add %113, %36 : i64
      %117 = add %113, %40 : i64
      %118 = add %113, %42 : i64
      %119 = lt %114, %K.1 : bool
      %120 = lt %115, %K.1 : bool
      %121 = lt %116, %K.1 : bool
      %122 = lt %117, %K.1 : bool
      %123 = lt %118, %K.1 : bool
      %124 = add %19, %116 : i64
      %125 = add %19, %117 : i64
      %126 = add %19, %118 : i64
      %127 = add %19, %115 : i64
      %128 = and %20, %121 : bool
      %129 = and %20, %122 : bool
      %130 = and %20, %123 : bool
      %131 = and %20, %120 : bool
      %132 = if %131 : f16[4] {
        %133 = addptr %A, %124 : ptr<f16>
        %134 = vector_load {packed} %133 : f16[4]
        yield %134
      } else {
        %135 = addptr %A, %124 : ptr<f16>
        %136 = load %135, %128, %57 : f16
        %137 = addptr %A, %125 : ptr<f16>
        %138 = load %137, %129, %57 : f16
        %139 = addptr %A, %126 : ptr<f16>
        %140 = load %139, %130, %57 : f16
        %141 = addptr %A, %127 : ptr<f16>
        %142 = load %141, %131, %57 : f16
        %143 = pack %136, %138, %140, %142 : f16[4]
        yield %143
      }
      %144 = mul %114, %N.1 : i64
      %145 = add %144, %72 : i64
      %146 = add %144, %71 : i64
      %147 = and %119, %74 : bool
      %148 = and %119, %73 : bool
      %149 = if %148 : f16[2] {
        %150 = addptr %B, %145 : ptr<f16>
        %151 = vector_load {packed} %150 : f16[2]
        yield %151
      } else {
        %152 = addptr %B, %145 : ptr<f16>
        %153 = load %152, %147, %57 : f16
        %154 = addptr %B, %146 : ptr<f16>
        %155 = load %154, %148, %57 : f16
        %156 = pack %153, %155 : f16[2]
        yield %156
      }
      %157 = addptr %shared_a_1.1, %91 : ptr<f16, threadgroup>
      vector_store {packed} %157, %132
      %158 = addptr %shared_b_1.1, %97 : ptr<f16, threadgroup>
      vector_store {packed} %158, %149
      %159 = fragment_load {rows} %shared_a_0.1, %87 : f16[8, 8]
      %160 = constant {72} : i64
      %161 = addptr %shared_a_0.1, %160 : ptr<f16, threadgroup>
      %162 = fragment_load {rows} %161, %87 : f16[8, 8]
      %163 = fragment_load {rows} %shared_b_0.1, %87 : f16[8, 8]
      %164 = fragment_mma %159, %163, %111 : f32[8, 8]
      %165 = fragment_mma %162, %163, %112 : f32[8, 8]
      barrier {threadgroup}
      yield %164, %165, %shared_a_1.1, %shared_a_0.1, %shared_b_1.1, %shared_b_0.1
    }
    %166 = fragment_load {rows} %107, %87 : f16[8, 8]
    %167 = constant {72} : i64
    %168 = addptr %107, %167 : ptr<f16, threadgroup>
    %169 = fragment_load {rows} %168, %87 : f16[8, 8]
    %170 = fragment_load {rows} %109, %87 : f16[8, 8]
    %171 = fragment_mma %166, %170, %105 : f32[8, 8]
    %172 = fragment_mma %169, %170, %106 : f32[8, 8]
    barrier {threadgroup}
    yield %171, %172
  } else {
    yield %8, %8
  }
  %173 = fragment_elements %10 : f32[2]
  %174 = fragment_elements %11 : f32[2]
  %175 = maximum %173, %4 : f32[2]
  %176 = maximum %174, %4 : f32[2]
  %177 = cast %175 : f16[2]
  %178 = cast %176 : f16[2]
  %179 = thread_index {0 to 32} : i64
  %180 = constant {1} : i64
  %181 = shr %179, %180 : i64
  %182 = constant {3} : i64
  %183 = and %181, %182 : i64
  %184 = constant {4} : i64
  %185 = shr %179, %184 : i64
  %186 = mul %185, %184 : i64
  %187 = add %183, %186 : i64
  %188 = add %187, %3 : i64
  %189 = add %m, %187 : i64
  %190 = add %m, %188 : i64
  %191 = mul %189, %N.1 : i64
  %192 = mul %190, %N.1 : i64
  %193 = lt %189, %M.1 : bool
  %194 = lt %190, %M.1 : bool
  %195 = and %179, %180 : i64
  %196 = constant {2} : i64
  %197 = mul %195, %196 : i64
  %198 = shr %179, %182 : i64
  %199 = and %198, %180 : i64
  %200 = mul %199, %184 : i64
  %201 = add %197, %200 : i64
  %202 = add %201, %180 : i64
  %203 = add %n, %202 : i64
  %204 = add %n, %201 : i64
  %205 = lt %203, %N.1 : bool
  %206 = lt %204, %N.1 : bool
  %207 = add %191, %204 : i64
  %208 = add %191, %203 : i64
  %209 = add %192, %204 : i64
  %210 = add %192, %203 : i64
  %211 = and %193, %206 : bool
  %212 = and %193, %205 : bool
  %213 = and %194, %206 : bool
  %214 = and %194, %205 : bool
  if %212 {
    %215 = addptr %C, %207 : ptr<f16>
    vector_store {packed} %215, %177
    yield
  } else {
    %216 = extract {0} %177 : f16
    %217 = addptr %C, %207 : ptr<f16>
    store %217, %216, %211
    %218 = extract {1} %177 : f16
    %219 = addptr %C, %208 : ptr<f16>
    store %219, %218, %212
    yield
  }
  if %214 {
    %220 = addptr %C, %209 : ptr<f16>
    vector_store {packed} %220, %178
    yield
  } else {
    %221 = extract {0} %178 : f16
    %222 = addptr %C, %209 : ptr<f16>
    store %222, %221, %213
    %223 = extract {1} %178 : f16
    %224 = addptr %C, %210 : ptr<f16>
    store %224, %223, %214
    yield
  }
  return
}
