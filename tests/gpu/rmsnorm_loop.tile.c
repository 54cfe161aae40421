// args: -D BLOCK=256
// A row of any length: the interiors take 1024 elements per trip, 4 of each thread; one barrier.
#include <tilec/kernel.h>
launch_grid(rmsnorm, rows);
kernel void rmsnorm(const half *restrict X, const float *restrict W, half *restrict Out, int rows,
                    int N, float eps, constexpr int BLOCK)
{
    int row = program_id(0);
    float s = 0.0f;
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        s += x * x;
    }
    float scale = 1.0f / sqrt(sum(s) / N + eps);
    for (int i = 0; i < N; i += BLOCK) {
        int col = i + arange(0, BLOCK);
        float x = load(X + row * N + col, col < N);
        store(Out + row * N + col, x * scale * load(W + col, col < N), col < N);
    }
}
---
func @rmsnorm(%X: const restrict ptr<f16>, %W: const restrict ptr<f32>, %Out: restrict ptr<f16>, %rows: i32, %N: i32, %eps: f32) {
  %reduce_0 = shared {"reduce_0" 8 padding 0} : ptr<f32, threadgroup>
  %N.1 = cast %N : i64
  %row = program_id {axis 0} : i64
  %0 = constant {0} : i64
  %1 = constant {256} : i64
  %2 = constant {0.0} : f32
  %3 = mul %row, %N.1 : i64
  %4 = addptr %X, %3 : ptr<f16>
  %5 = constant {-255} : i64
  %6 = add %N.1, %5 : i64
  %7 = maximum %6, %0 : i64
  %8 = cdiv %7, %1 : i64
  %9 = mul %8, %1 : i64
  %10 = constant {1024} : i64
  %11 = div %9, %10 : i64
  %12 = mul %11, %10 : i64
  %13 = thread_index {0 to 256} : i64
  %14 = constant {4} : i64
  %15 = mul %13, %14 : i64
  %16 = for %i = %0 to %12 step %10 carry (%s = %2) : f32 {
    %17 = add %i, %15 : i64
    %18 = addptr %4, %17 : ptr<f16>
    %19 = vector_load {packed} %18 : f16[4]
    %x = cast %19 : f32[4]
    %20 = mul %x, %x : f32[4]
    %21 = extract {0} %20 : f32
    %22 = extract {1} %20 : f32
    %23 = extract {2} %20 : f32
    %24 = extract {3} %20 : f32
    %25 = add %21, %23 : f32
    %26 = add %22, %24 : f32
    %27 = add %25, %26 : f32
    %28 = add %s, %27 : f32
    yield %28
  }
  %s.1 = for %i.1 = %12 to %N.1 step %1 carry (%s.2 = %16) : f32 {
    %col = add %i.1, %13 : i64
    %29 = lt %col, %N.1 : bool
    %30 = constant {0.0} : f16
    %31 = addptr %4, %col : ptr<f16>
    %32 = load %31, %29, %30 : f16
    %x.1 = cast %32 : f32
    %s.3 = fma %x.1, %x.1, %s.2 : f32
    yield %s.3
  }
  %33 = group_sum %s.1 : f32
  %34 = lane_index {0 to 32} : i64
  %35 = eq %34, %0 : bool
  %36 = constant {5} : i64
  %37 = shr %13, %36 : i64
  %38 = addptr %reduce_0, %37 : ptr<f32, threadgroup>
  store %38, %33, %35
  barrier {threadgroup}
  %39 = addptr %reduce_0, %34 : ptr<f32, threadgroup>
  %40 = constant {8} : i64
  %41 = lt %34, %40 : bool
  %42 = constant {-0.0} : f32
  %43 = load %39, %41, %42 : f32
  %44 = group_sum %43 : f32
  %45 = cast %N : f32
  %46 = div %44, %45 : f32
  %47 = add %46, %eps : f32
  %48 = sqrt %47 : f32
  %49 = constant {1.0} : f32
  %scale = div %49, %48 : f32
  %50 = addptr %Out, %3 : ptr<f16>
  for %i.2 = %0 to %12 step %10 {
    %51 = add %i.2, %15 : i64
    %52 = addptr %4, %51 : ptr<f16>
    %53 = vector_load {packed} %52 : f16[4]
    %54 = addptr %W, %51 : ptr<f32>
    %55 = vector_load {packed} %54 : f32[4]
    %x.2 = cast %53 : f32[4]
    %56 = broadcast %scale : f32[4]
    %57 = mul %x.2, %56 : f32[4]
    %58 = mul %57, %55 : f32[4]
    %59 = cast %58 : f16[4]
    %60 = addptr %50, %51 : ptr<f16>
    vector_store {packed} %60, %59
    yield
  }
  for %i.3 = %12 to %N.1 step %1 {
    %col.1 = add %i.3, %13 : i64
    %61 = lt %col.1, %N.1 : bool
    %62 = constant {0.0} : f16
    %63 = addptr %4, %col.1 : ptr<f16>
    %64 = load %63, %61, %62 : f16
    %x.3 = cast %64 : f32
    %65 = addptr %W, %col.1 : ptr<f32>
    %66 = load %65, %61, %2 : f32
    %67 = mul %x.3, %scale : f32
    %68 = mul %67, %66 : f32
    %69 = cast %68 : f16
    %70 = addptr %50, %col.1 : ptr<f16>
    store %70, %69, %61
    yield
  }
  return
}
