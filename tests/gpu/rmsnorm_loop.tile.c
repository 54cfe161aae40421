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
  %1 = constant {0} : i32
  %2 = constant {256} : i64
  %3 = constant {0.0} : f32
  %4 = mul %row, %N.1 : i64
  %5 = addptr %X, %4 : ptr<f16>
  %6 = constant {-255} : i64
  %7 = add %N.1, %6 : i64
  %8 = maximum %7, %0 : i64
  %9 = constant {255} : i64
  %10 = add %8, %9 : i64
  %11 = constant {8} : i64
  %12 = shr %10, %11 : i64
  %13 = mul %12, %2 : i64
  %14 = constant {1024} : i64
  %15 = constant {10} : i64
  %16 = shr %13, %15 : i64
  %17 = mul %16, %14 : i64
  %18 = thread_index {0 to 256} : i64
  %19 = constant {4} : i64
  %20 = mul %18, %19 : i64
  %21 = for %i = %0 to %17 step %14 carry (%s = %3) : f32 {
    %22 = add %i, %20 : i64
    %23 = addptr %5, %22 : ptr<f16>
    %24 = vector_load {packed} %23 : f16[4]
    %x = cast %24 : f32[4]
    %25 = mul %x, %x : f32[4]
    %26 = extract {0} %25 : f32
    %27 = extract {1} %25 : f32
    %28 = extract {2} %25 : f32
    %29 = extract {3} %25 : f32
    %30 = add %26, %28 : f32
    %31 = add %27, %29 : f32
    %32 = add %30, %31 : f32
    %33 = add %s, %32 : f32
    yield %33
  }
  %s.1 = for %i.1 = %17 to %N.1 step %2 carry (%s.2 = %21) : f32 {
    %col = add %i.1, %18 : i64
    %34 = lt %col, %N.1 : bool
    %35 = constant {0.0} : f16
    %36 = addptr %5, %col : ptr<f16>
    %37 = load %36, %34, %35 : f16
    %x.1 = cast %37 : f32
    %s.3 = fma %x.1, %x.1, %s.2 : f32
    yield %s.3
  }
  %38 = group_sum %s.1 : f32
  %39 = lane_index {0 to 32} : i64
  %40 = cast %39 : i32
  %41 = eq %40, %1 : bool
  %42 = cast %18 : i32
  %43 = constant {5} : i32
  %44 = shr %42, %43 : i32
  %45 = cast %44 : i64
  %46 = addptr %reduce_0, %45 : ptr<f32, threadgroup>
  store %46, %38, %41
  barrier {threadgroup}
  %47 = constant {8} : i32
  %48 = lt %40, %47 : bool
  %49 = constant {-0.0} : f32
  %50 = cast %40 : i64
  %51 = addptr %reduce_0, %50 : ptr<f32, threadgroup>
  %52 = load %51, %48, %49 : f32
  %53 = group_sum %52 : f32
  %54 = cast %N : f32
  %55 = div %53, %54 : f32
  %56 = add %55, %eps : f32
  %57 = sqrt %56 : f32
  %58 = constant {1.0} : f32
  %scale = div %58, %57 : f32
  %59 = addptr %Out, %4 : ptr<f16>
  for %i.2 = %0 to %17 step %14 {
    %60 = add %i.2, %20 : i64
    %61 = addptr %5, %60 : ptr<f16>
    %62 = vector_load {packed} %61 : f16[4]
    %63 = addptr %W, %60 : ptr<f32>
    %64 = vector_load {packed} %63 : f32[4]
    %x.2 = cast %62 : f32[4]
    %65 = broadcast %scale : f32[4]
    %66 = mul %x.2, %65 : f32[4]
    %67 = mul %66, %64 : f32[4]
    %68 = cast %67 : f16[4]
    %69 = addptr %59, %60 : ptr<f16>
    vector_store {packed} %69, %68
    yield
  }
  for %i.3 = %17 to %N.1 step %2 {
    %col.1 = add %i.3, %18 : i64
    %70 = lt %col.1, %N.1 : bool
    %71 = constant {0.0} : f16
    %72 = addptr %5, %col.1 : ptr<f16>
    %73 = load %72, %70, %71 : f16
    %x.3 = cast %73 : f32
    %74 = addptr %W, %col.1 : ptr<f32>
    %75 = load %74, %70, %3 : f32
    %76 = mul %x.3, %scale : f32
    %77 = mul %76, %75 : f32
    %78 = cast %77 : f16
    %79 = addptr %59, %col.1 : ptr<f16>
    store %79, %78, %70
    yield
  }
  return
}
