// args: -D BLOCK=32
// Rows are read and columns written, both in runs: the tile is exchanged through threadgroup memory.
#include <tilec/kernel.h>
launch_grid(transpose, cdiv(M, BLOCK), cdiv(N, BLOCK));
kernel void transpose(const float *restrict X, float *restrict Out, int M, int N, constexpr int BLOCK)
{
    int m = program_id(0) * BLOCK, n = program_id(1) * BLOCK;
    tile_store(view(Out, N, M), n, m, trans(tile_load(view(X, M, N), m, n, BLOCK, BLOCK)));
}
---
func @transpose(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %M: i32, %N: i32) {
  %exchange_f32 = shared {"exchange_f32" 1024 padding 0} : ptr<f32, threadgroup>
  %M.1 = cast %M : i64
  %N.1 = cast %N : i64
  %0 = program_id {axis 0} : i64
  %1 = constant {32} : i64
  %2 = constant {32} : i32
  %m = mul %0, %1 : i64
  %3 = program_id {axis 1} : i64
  %n = mul %3, %1 : i64
  %4 = thread_index {0 to 256} : i64
  %5 = cast %4 : i32
  %6 = constant {7} : i64
  %7 = constant {7} : i32
  %8 = and %4, %6 : i64
  %9 = constant {4} : i64
  %10 = constant {4} : i32
  %11 = mul %8, %9 : i64
  %12 = constant {3} : i64
  %13 = constant {3} : i32
  %14 = constant {1} : i64
  %15 = constant {1} : i32
  %16 = constant {2} : i64
  %17 = constant {2} : i32
  %18 = add %11, %12 : i64
  %19 = add %11, %14 : i64
  %20 = add %11, %16 : i64
  %21 = shr %4, %12 : i64
  %22 = shr %5, %13 : i32
  %23 = add %m, %18 : i64
  %24 = add %m, %11 : i64
  %25 = add %m, %19 : i64
  %26 = add %m, %20 : i64
  %27 = add %m, %21 : i64
  %28 = mul %27, %N.1 : i64
  %29 = lt %23, %M.1 : bool
  %30 = lt %24, %M.1 : bool
  %31 = lt %25, %M.1 : bool
  %32 = lt %26, %M.1 : bool
  %33 = lt %27, %M.1 : bool
  %34 = add %n, %21 : i64
  %35 = add %n, %18 : i64
  %36 = add %n, %11 : i64
  %37 = add %n, %19 : i64
  %38 = add %n, %20 : i64
  %39 = lt %34, %N.1 : bool
  %40 = lt %35, %N.1 : bool
  %41 = lt %36, %N.1 : bool
  %42 = lt %37, %N.1 : bool
  %43 = lt %38, %N.1 : bool
  %44 = add %28, %36 : i64
  %45 = add %28, %37 : i64
  %46 = add %28, %38 : i64
  %47 = add %28, %35 : i64
  %48 = and %33, %41 : bool
  %49 = and %33, %42 : bool
  %50 = and %33, %43 : bool
  %51 = and %33, %40 : bool
  %52 = constant {0.0} : f32
  %53 = if %51 : f32[4] {
    %54 = addptr %X, %44 : ptr<f32>
    %55 = vector_load {packed} %54 : f32[4]
    yield %55
  } else {
    %56 = addptr %X, %44 : ptr<f32>
    %57 = load %56, %48, %52 : f32
    %58 = addptr %X, %45 : ptr<f32>
    %59 = load %58, %49, %52 : f32
    %60 = addptr %X, %46 : ptr<f32>
    %61 = load %60, %50, %52 : f32
    %62 = addptr %X, %47 : ptr<f32>
    %63 = load %62, %51, %52 : f32
    %64 = pack %57, %59, %61, %63 : f32[4]
    yield %64
  }
  %65 = and %5, %15 : i32
  %66 = mul %65, %2 : i32
  %67 = add %65, %66 : i32
  %68 = shr %5, %15 : i32
  %69 = and %68, %15 : i32
  %70 = mul %69, %17 : i32
  %71 = add %67, %70 : i32
  %72 = constant {64} : i32
  %73 = mul %69, %72 : i32
  %74 = add %71, %73 : i32
  %75 = shr %5, %17 : i32
  %76 = and %75, %15 : i32
  %77 = mul %76, %10 : i32
  %78 = add %74, %77 : i32
  %79 = constant {128} : i32
  %80 = mul %76, %79 : i32
  %81 = add %78, %80 : i32
  %82 = and %22, %15 : i32
  %83 = constant {8} : i32
  %84 = mul %82, %83 : i32
  %85 = add %81, %84 : i32
  %86 = constant {256} : i32
  %87 = mul %82, %86 : i32
  %88 = add %85, %87 : i32
  %89 = shr %5, %10 : i32
  %90 = and %89, %15 : i32
  %91 = constant {16} : i32
  %92 = mul %90, %91 : i32
  %93 = add %88, %92 : i32
  %94 = constant {512} : i32
  %95 = mul %90, %94 : i32
  %96 = add %93, %95 : i32
  %97 = constant {5} : i32
  %98 = shr %5, %97 : i32
  %99 = xor %96, %98 : i32
  %100 = xor %99, %83 : i32
  %101 = xor %99, %91 : i32
  %102 = constant {24} : i32
  %103 = xor %99, %102 : i32
  %104 = extract {0} %53 : f32
  %105 = extract {1} %53 : f32
  %106 = extract {2} %53 : f32
  %107 = extract {3} %53 : f32
  %108 = constant {31} : i32
  %109 = and %5, %108 : i32
  %110 = and %98, %15 : i32
  %111 = xor %109, %110 : i32
  %112 = mul %110, %2 : i32
  %113 = add %111, %112 : i32
  %114 = constant {6} : i32
  %115 = shr %5, %114 : i32
  %116 = and %115, %15 : i32
  %117 = mul %116, %17 : i32
  %118 = xor %113, %117 : i32
  %119 = mul %116, %72 : i32
  %120 = add %118, %119 : i32
  %121 = shr %5, %7 : i32
  %122 = mul %121, %10 : i32
  %123 = xor %120, %122 : i32
  %124 = mul %121, %79 : i32
  %125 = add %123, %124 : i32
  %126 = constant {264} : i32
  %127 = xor %125, %126 : i32
  %128 = constant {528} : i32
  %129 = xor %125, %128 : i32
  %130 = constant {792} : i32
  %131 = xor %125, %130 : i32
  %132 = cast %99 : i64
  %133 = addptr %exchange_f32, %132 : ptr<f32, threadgroup>
  store %133, %104
  %134 = cast %100 : i64
  %135 = addptr %exchange_f32, %134 : ptr<f32, threadgroup>
  store %135, %105
  %136 = cast %101 : i64
  %137 = addptr %exchange_f32, %136 : ptr<f32, threadgroup>
  store %137, %106
  %138 = cast %103 : i64
  %139 = addptr %exchange_f32, %138 : ptr<f32, threadgroup>
  store %139, %107
  barrier {threadgroup}
  %140 = cast %125 : i64
  %141 = addptr %exchange_f32, %140 : ptr<f32, threadgroup>
  %142 = load %141 : f32
  %143 = cast %127 : i64
  %144 = addptr %exchange_f32, %143 : ptr<f32, threadgroup>
  %145 = load %144 : f32
  %146 = cast %129 : i64
  %147 = addptr %exchange_f32, %146 : ptr<f32, threadgroup>
  %148 = load %147 : f32
  %149 = cast %131 : i64
  %150 = addptr %exchange_f32, %149 : ptr<f32, threadgroup>
  %151 = load %150 : f32
  %152 = pack %142, %145, %148, %151 : f32[4]
  %153 = mul %34, %M.1 : i64
  %154 = add %153, %24 : i64
  %155 = add %153, %25 : i64
  %156 = add %153, %26 : i64
  %157 = add %153, %23 : i64
  %158 = and %39, %30 : bool
  %159 = and %39, %31 : bool
  %160 = and %39, %32 : bool
  %161 = and %39, %29 : bool
  if %161 {
    %162 = addptr %Out, %154 : ptr<f32>
    vector_store {packed} %162, %152
    yield
  } else {
    %163 = addptr %Out, %154 : ptr<f32>
    store %163, %142, %158
    %164 = addptr %Out, %155 : ptr<f32>
    store %164, %145, %159
    %165 = addptr %Out, %156 : ptr<f32>
    store %165, %148, %160
    %166 = addptr %Out, %157 : ptr<f32>
    store %166, %151, %161
    yield
  }
  return
}
