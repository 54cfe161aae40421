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
  %8 = constant {255} : i64
  %9 = add %7, %8 : i64
  %10 = constant {8} : i64
  %11 = shr %9, %10 : i64
  %12 = mul %11, %1 : i64
  %13 = constant {1024} : i64
  %14 = constant {10} : i64
  %15 = shr %12, %14 : i64
  %16 = mul %15, %13 : i64
  %17 = thread_index {0 to 256} : i64
  %18 = constant {4} : i64
  %19 = mul %17, %18 : i64
  %20 = for %i = %0 to %16 step %13 carry (%s = %2) : f32 {
    %21 = add %i, %19 : i64
    %22 = addptr %4, %21 : ptr<f16>
    %23 = vector_load {packed} %22 : f16[4]
    %x = cast %23 : f32[4]
    %24 = mul %x, %x : f32[4]
    %25 = extract {0} %24 : f32
    %26 = extract {1} %24 : f32
    %27 = extract {2} %24 : f32
    %28 = extract {3} %24 : f32
    %29 = add %25, %27 : f32
    %30 = add %26, %28 : f32
    %31 = add %29, %30 : f32
    %32 = add %s, %31 : f32
    yield %32
  }
  %s.1 = for %i.1 = %16 to %N.1 step %1 carry (%s.2 = %20) : f32 {
    %col = add %i.1, %17 : i64
    %33 = lt %col, %N.1 : bool
    %34 = constant {0.0} : f16
    %35 = addptr %4, %col : ptr<f16>
    %36 = load %35, %33, %34 : f16
    %x.1 = cast %36 : f32
    %s.3 = fma %x.1, %x.1, %s.2 : f32
    yield %s.3
  }
  %37 = group_sum %s.1 : f32
  %38 = lane_index {0 to 32} : i64
  %39 = eq %38, %0 : bool
  %40 = constant {5} : i64
  %41 = shr %17, %40 : i64
  %42 = addptr %reduce_0, %41 : ptr<f32, threadgroup>
  store %42, %37, %39
  barrier {threadgroup}
  %43 = addptr %reduce_0, %38 : ptr<f32, threadgroup>
  %44 = lt %38, %10 : bool
  %45 = constant {-0.0} : f32
  %46 = load %43, %44, %45 : f32
  %47 = group_sum %46 : f32
  %48 = cast %N : f32
  %49 = div %47, %48 : f32
  %50 = add %49, %eps : f32
  %51 = sqrt %50 : f32
  %52 = constant {1.0} : f32
  %scale = div %52, %51 : f32
  %53 = addptr %Out, %3 : ptr<f16>
  for %i.2 = %0 to %16 step %13 {
    %54 = add %i.2, %19 : i64
    %55 = addptr %4, %54 : ptr<f16>
    %56 = vector_load {packed} %55 : f16[4]
    %57 = addptr %W, %54 : ptr<f32>
    %58 = vector_load {packed} %57 : f32[4]
    %x.2 = cast %56 : f32[4]
    %59 = broadcast %scale : f32[4]
    %60 = mul %x.2, %59 : f32[4]
    %61 = mul %60, %58 : f32[4]
    %62 = cast %61 : f16[4]
    %63 = addptr %53, %54 : ptr<f16>
    vector_store {packed} %63, %62
    yield
  }
  for %i.3 = %16 to %N.1 step %1 {
    %col.1 = add %i.3, %17 : i64
    %64 = lt %col.1, %N.1 : bool
    %65 = constant {0.0} : f16
    %66 = addptr %4, %col.1 : ptr<f16>
    %67 = load %66, %64, %65 : f16
    %x.3 = cast %67 : f32
    %68 = addptr %W, %col.1 : ptr<f32>
    %69 = load %68, %64, %2 : f32
    %70 = mul %x.3, %scale : f32
    %71 = mul %70, %69 : f32
    %72 = cast %71 : f16
    %73 = addptr %53, %col.1 : ptr<f16>
    store %73, %72, %64
    yield
  }
  return
}
