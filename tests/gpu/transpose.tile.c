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
  %m = mul %0, %1 : i64
  %2 = program_id {axis 1} : i64
  %n = mul %2, %1 : i64
  %3 = thread_index {0 to 256} : i64
  %4 = constant {7} : i64
  %5 = and %3, %4 : i64
  %6 = constant {4} : i64
  %7 = mul %5, %6 : i64
  %8 = constant {1} : i64
  %9 = constant {2} : i64
  %10 = constant {3} : i64
  %11 = add %7, %8 : i64
  %12 = add %7, %9 : i64
  %13 = add %7, %10 : i64
  %14 = shr %3, %10 : i64
  %15 = add %m, %7 : i64
  %16 = add %m, %11 : i64
  %17 = add %m, %12 : i64
  %18 = add %m, %13 : i64
  %19 = add %m, %14 : i64
  %20 = mul %19, %N.1 : i64
  %21 = lt %15, %M.1 : bool
  %22 = lt %16, %M.1 : bool
  %23 = lt %17, %M.1 : bool
  %24 = lt %18, %M.1 : bool
  %25 = lt %19, %M.1 : bool
  %26 = add %n, %14 : i64
  %27 = add %n, %7 : i64
  %28 = add %n, %11 : i64
  %29 = add %n, %12 : i64
  %30 = add %n, %13 : i64
  %31 = lt %26, %N.1 : bool
  %32 = lt %27, %N.1 : bool
  %33 = lt %28, %N.1 : bool
  %34 = lt %29, %N.1 : bool
  %35 = lt %30, %N.1 : bool
  %36 = add %20, %27 : i64
  %37 = add %20, %28 : i64
  %38 = add %20, %29 : i64
  %39 = add %20, %30 : i64
  %40 = and %25, %32 : bool
  %41 = and %25, %33 : bool
  %42 = and %25, %34 : bool
  %43 = and %25, %35 : bool
  %44 = constant {0.0} : f32
  %45 = and %32, %33 : bool
  %46 = and %45, %34 : bool
  %47 = and %46, %35 : bool
  %48 = and %25, %47 : bool
  %49 = if %48 : f32[4] {
    %50 = addptr %X, %36 : ptr<f32>
    %51 = vector_load {packed} %50 : f32[4]
    yield %51
  } else {
    %52 = addptr %X, %36 : ptr<f32>
    %53 = load %52, %40, %44 : f32
    %54 = addptr %X, %37 : ptr<f32>
    %55 = load %54, %41, %44 : f32
    %56 = addptr %X, %38 : ptr<f32>
    %57 = load %56, %42, %44 : f32
    %58 = addptr %X, %39 : ptr<f32>
    %59 = load %58, %43, %44 : f32
    %60 = pack %53, %55, %57, %59 : f32[4]
    yield %60
  }
  %61 = and %3, %8 : i64
  %62 = mul %61, %1 : i64
  %63 = add %61, %62 : i64
  %64 = shr %3, %8 : i64
  %65 = and %64, %8 : i64
  %66 = mul %65, %9 : i64
  %67 = add %63, %66 : i64
  %68 = constant {64} : i64
  %69 = mul %65, %68 : i64
  %70 = add %67, %69 : i64
  %71 = shr %3, %9 : i64
  %72 = and %71, %8 : i64
  %73 = mul %72, %6 : i64
  %74 = add %70, %73 : i64
  %75 = constant {128} : i64
  %76 = mul %72, %75 : i64
  %77 = add %74, %76 : i64
  %78 = and %14, %8 : i64
  %79 = constant {8} : i64
  %80 = mul %78, %79 : i64
  %81 = add %77, %80 : i64
  %82 = constant {256} : i64
  %83 = mul %78, %82 : i64
  %84 = add %81, %83 : i64
  %85 = shr %3, %6 : i64
  %86 = and %85, %8 : i64
  %87 = constant {16} : i64
  %88 = mul %86, %87 : i64
  %89 = add %84, %88 : i64
  %90 = constant {512} : i64
  %91 = mul %86, %90 : i64
  %92 = add %89, %91 : i64
  %93 = constant {5} : i64
  %94 = shr %3, %93 : i64
  %95 = xor %92, %94 : i64
  %96 = xor %95, %79 : i64
  %97 = xor %95, %87 : i64
  %98 = constant {24} : i64
  %99 = xor %95, %98 : i64
  %100 = extract {0} %49 : f32
  %101 = extract {1} %49 : f32
  %102 = extract {2} %49 : f32
  %103 = extract {3} %49 : f32
  %104 = constant {31} : i64
  %105 = and %3, %104 : i64
  %106 = and %94, %8 : i64
  %107 = xor %105, %106 : i64
  %108 = mul %106, %1 : i64
  %109 = add %107, %108 : i64
  %110 = constant {6} : i64
  %111 = shr %3, %110 : i64
  %112 = and %111, %8 : i64
  %113 = mul %112, %9 : i64
  %114 = xor %109, %113 : i64
  %115 = mul %112, %68 : i64
  %116 = add %114, %115 : i64
  %117 = shr %3, %4 : i64
  %118 = mul %117, %6 : i64
  %119 = xor %116, %118 : i64
  %120 = mul %117, %75 : i64
  %121 = add %119, %120 : i64
  %122 = constant {264} : i64
  %123 = xor %121, %122 : i64
  %124 = constant {528} : i64
  %125 = xor %121, %124 : i64
  %126 = constant {792} : i64
  %127 = xor %121, %126 : i64
  %128 = addptr %exchange_f32, %95 : ptr<f32, threadgroup>
  store %128, %100
  %129 = addptr %exchange_f32, %96 : ptr<f32, threadgroup>
  store %129, %101
  %130 = addptr %exchange_f32, %97 : ptr<f32, threadgroup>
  store %130, %102
  %131 = addptr %exchange_f32, %99 : ptr<f32, threadgroup>
  store %131, %103
  barrier {threadgroup}
  %132 = addptr %exchange_f32, %121 : ptr<f32, threadgroup>
  %133 = load %132 : f32
  %134 = addptr %exchange_f32, %123 : ptr<f32, threadgroup>
  %135 = load %134 : f32
  %136 = addptr %exchange_f32, %125 : ptr<f32, threadgroup>
  %137 = load %136 : f32
  %138 = addptr %exchange_f32, %127 : ptr<f32, threadgroup>
  %139 = load %138 : f32
  %140 = pack %133, %135, %137, %139 : f32[4]
  %141 = mul %26, %M.1 : i64
  %142 = add %141, %15 : i64
  %143 = add %141, %16 : i64
  %144 = add %141, %17 : i64
  %145 = add %141, %18 : i64
  %146 = and %31, %21 : bool
  %147 = and %31, %22 : bool
  %148 = and %31, %23 : bool
  %149 = and %31, %24 : bool
  %150 = and %21, %22 : bool
  %151 = and %150, %23 : bool
  %152 = and %151, %24 : bool
  %153 = and %31, %152 : bool
  if %153 {
    %154 = addptr %Out, %142 : ptr<f32>
    vector_store {packed} %154, %140
    yield
  } else {
    %155 = addptr %Out, %142 : ptr<f32>
    store %155, %133, %146
    %156 = addptr %Out, %143 : ptr<f32>
    store %156, %135, %147
    %157 = addptr %Out, %144 : ptr<f32>
    store %157, %137, %148
    %158 = addptr %Out, %145 : ptr<f32>
    store %158, %139, %149
    yield
  }
  return
}
