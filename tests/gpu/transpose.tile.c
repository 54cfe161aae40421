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
  %8 = constant {3} : i64
  %9 = constant {1} : i64
  %10 = constant {2} : i64
  %11 = add %7, %8 : i64
  %12 = add %7, %9 : i64
  %13 = add %7, %10 : i64
  %14 = shr %3, %8 : i64
  %15 = add %m, %11 : i64
  %16 = add %m, %7 : i64
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
  %27 = add %n, %11 : i64
  %28 = add %n, %7 : i64
  %29 = add %n, %12 : i64
  %30 = add %n, %13 : i64
  %31 = lt %26, %N.1 : bool
  %32 = lt %27, %N.1 : bool
  %33 = lt %28, %N.1 : bool
  %34 = lt %29, %N.1 : bool
  %35 = lt %30, %N.1 : bool
  %36 = add %20, %28 : i64
  %37 = add %20, %29 : i64
  %38 = add %20, %30 : i64
  %39 = add %20, %27 : i64
  %40 = and %25, %33 : bool
  %41 = and %25, %34 : bool
  %42 = and %25, %35 : bool
  %43 = and %25, %32 : bool
  %44 = constant {0.0} : f32
  %45 = if %43 : f32[4] {
    %46 = addptr %X, %36 : ptr<f32>
    %47 = vector_load {packed} %46 : f32[4]
    yield %47
  } else {
    %48 = addptr %X, %36 : ptr<f32>
    %49 = load %48, %40, %44 : f32
    %50 = addptr %X, %37 : ptr<f32>
    %51 = load %50, %41, %44 : f32
    %52 = addptr %X, %38 : ptr<f32>
    %53 = load %52, %42, %44 : f32
    %54 = addptr %X, %39 : ptr<f32>
    %55 = load %54, %43, %44 : f32
    %56 = pack %49, %51, %53, %55 : f32[4]
    yield %56
  }
  %57 = and %3, %9 : i64
  %58 = mul %57, %1 : i64
  %59 = add %57, %58 : i64
  %60 = shr %3, %9 : i64
  %61 = and %60, %9 : i64
  %62 = mul %61, %10 : i64
  %63 = add %59, %62 : i64
  %64 = constant {64} : i64
  %65 = mul %61, %64 : i64
  %66 = add %63, %65 : i64
  %67 = shr %3, %10 : i64
  %68 = and %67, %9 : i64
  %69 = mul %68, %6 : i64
  %70 = add %66, %69 : i64
  %71 = constant {128} : i64
  %72 = mul %68, %71 : i64
  %73 = add %70, %72 : i64
  %74 = and %14, %9 : i64
  %75 = constant {8} : i64
  %76 = mul %74, %75 : i64
  %77 = add %73, %76 : i64
  %78 = constant {256} : i64
  %79 = mul %74, %78 : i64
  %80 = add %77, %79 : i64
  %81 = shr %3, %6 : i64
  %82 = and %81, %9 : i64
  %83 = constant {16} : i64
  %84 = mul %82, %83 : i64
  %85 = add %80, %84 : i64
  %86 = constant {512} : i64
  %87 = mul %82, %86 : i64
  %88 = add %85, %87 : i64
  %89 = constant {5} : i64
  %90 = shr %3, %89 : i64
  %91 = xor %88, %90 : i64
  %92 = xor %91, %75 : i64
  %93 = xor %91, %83 : i64
  %94 = constant {24} : i64
  %95 = xor %91, %94 : i64
  %96 = extract {0} %45 : f32
  %97 = extract {1} %45 : f32
  %98 = extract {2} %45 : f32
  %99 = extract {3} %45 : f32
  %100 = constant {31} : i64
  %101 = and %3, %100 : i64
  %102 = and %90, %9 : i64
  %103 = xor %101, %102 : i64
  %104 = mul %102, %1 : i64
  %105 = add %103, %104 : i64
  %106 = constant {6} : i64
  %107 = shr %3, %106 : i64
  %108 = and %107, %9 : i64
  %109 = mul %108, %10 : i64
  %110 = xor %105, %109 : i64
  %111 = mul %108, %64 : i64
  %112 = add %110, %111 : i64
  %113 = shr %3, %4 : i64
  %114 = mul %113, %6 : i64
  %115 = xor %112, %114 : i64
  %116 = mul %113, %71 : i64
  %117 = add %115, %116 : i64
  %118 = constant {264} : i64
  %119 = xor %117, %118 : i64
  %120 = constant {528} : i64
  %121 = xor %117, %120 : i64
  %122 = constant {792} : i64
  %123 = xor %117, %122 : i64
  %124 = addptr %exchange_f32, %91 : ptr<f32, threadgroup>
  store %124, %96
  %125 = addptr %exchange_f32, %92 : ptr<f32, threadgroup>
  store %125, %97
  %126 = addptr %exchange_f32, %93 : ptr<f32, threadgroup>
  store %126, %98
  %127 = addptr %exchange_f32, %95 : ptr<f32, threadgroup>
  store %127, %99
  barrier {threadgroup}
  %128 = addptr %exchange_f32, %117 : ptr<f32, threadgroup>
  %129 = load %128 : f32
  %130 = addptr %exchange_f32, %119 : ptr<f32, threadgroup>
  %131 = load %130 : f32
  %132 = addptr %exchange_f32, %121 : ptr<f32, threadgroup>
  %133 = load %132 : f32
  %134 = addptr %exchange_f32, %123 : ptr<f32, threadgroup>
  %135 = load %134 : f32
  %136 = pack %129, %131, %133, %135 : f32[4]
  %137 = mul %26, %M.1 : i64
  %138 = add %137, %16 : i64
  %139 = add %137, %17 : i64
  %140 = add %137, %18 : i64
  %141 = add %137, %15 : i64
  %142 = and %31, %22 : bool
  %143 = and %31, %23 : bool
  %144 = and %31, %24 : bool
  %145 = and %31, %21 : bool
  if %145 {
    %146 = addptr %Out, %138 : ptr<f32>
    vector_store {packed} %146, %136
    yield
  } else {
    %147 = addptr %Out, %138 : ptr<f32>
    store %147, %129, %142
    %148 = addptr %Out, %139 : ptr<f32>
    store %148, %131, %143
    %149 = addptr %Out, %140 : ptr<f32>
    store %149, %133, %144
    %150 = addptr %Out, %141 : ptr<f32>
    store %150, %135, %145
    yield
  }
  return
}
