// A row in registers, 4 of each thread, 256 apart: only the last needs a mask, and the row is read once.
#include <tilec/kernel.h>
launch_grid(rmsnorm, rows);
kernel void rmsnorm(const half *restrict X, const float *restrict W, half *restrict Out, int rows,
                    float eps)
{
    int row = program_id(0);
    int col = arange_in(layout(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, .per_thread = 4), 0, 1024);
    float x = load(X + row * 1009 + col, col < 1009);
    float w = load(W + col, col < 1009);
    float scale = 1.0f / sqrt(sum(x * x) / 1009 + eps);
    store(Out + row * 1009 + col, x * scale * w, col < 1009);
}
---
func @rmsnorm(%X: const restrict ptr<f16>, %W: const restrict ptr<f32>, %Out: restrict ptr<f16>, %rows: i32, %eps: f32) {
  %reduce_0 = shared {"reduce_0" 8 padding 0} : ptr<f32, threadgroup>
  %row = program_id {axis 0} : i64
  %0 = thread_index {0 to 256} : i64
  %1 = constant {256} : i64
  %2 = add %0, %1 : i64
  %3 = constant {512} : i64
  %4 = add %0, %3 : i64
  %5 = constant {768} : i64
  %6 = add %0, %5 : i64
  %7 = constant {1009} : i64
  %8 = mul %row, %7 : i64
  %9 = addptr %X, %8 : ptr<f16>
  %10 = lt %6, %7 : bool
  %11 = constant {0.0} : f16
  %12 = addptr %9, %0 : ptr<f16>
  %13 = load %12 : f16
  %14 = addptr %9, %2 : ptr<f16>
  %15 = load %14 : f16
  %16 = addptr %9, %4 : ptr<f16>
  %17 = load %16 : f16
  %18 = addptr %9, %6 : ptr<f16>
  %19 = load %18, %10, %11 : f16
  %x = cast %13 : f32
  %x.1 = cast %15 : f32
  %x.2 = cast %17 : f32
  %x.3 = cast %19 : f32
  %20 = constant {0.0} : f32
  %21 = addptr %W, %0 : ptr<f32>
  %22 = load %21 : f32
  %23 = addptr %W, %2 : ptr<f32>
  %24 = load %23 : f32
  %25 = addptr %W, %4 : ptr<f32>
  %26 = load %25 : f32
  %27 = addptr %W, %6 : ptr<f32>
  %28 = load %27, %10, %20 : f32
  %29 = mul %x, %x : f32
  %30 = mul %x.1, %x.1 : f32
  %31 = mul %x.2, %x.2 : f32
  %32 = mul %x.3, %x.3 : f32
  %33 = add %29, %31 : f32
  %34 = add %30, %32 : f32
  %35 = add %33, %34 : f32
  %36 = group_sum %35 : f32
  %37 = constant {0} : i64
  %38 = lane_index {0 to 32} : i64
  %39 = eq %38, %37 : bool
  %40 = constant {5} : i64
  %41 = shr %0, %40 : i64
  %42 = addptr %reduce_0, %41 : ptr<f32, threadgroup>
  store %42, %36, %39
  barrier {threadgroup}
  %43 = addptr %reduce_0, %38 : ptr<f32, threadgroup>
  %44 = constant {8} : i64
  %45 = lt %38, %44 : bool
  %46 = constant {-0.0} : f32
  %47 = load %43, %45, %46 : f32
  %48 = group_sum %47 : f32
  %49 = constant {1009.0} : f32
  %50 = div %48, %49 : f32
  %51 = add %50, %eps : f32
  %52 = sqrt %51 : f32
  %53 = constant {1.0} : f32
  %scale = div %53, %52 : f32
  %54 = addptr %Out, %8 : ptr<f16>
  %55 = mul %x, %scale : f32
  %56 = mul %x.1, %scale : f32
  %57 = mul %x.2, %scale : f32
  %58 = mul %x.3, %scale : f32
  %59 = mul %55, %22 : f32
  %60 = mul %56, %24 : f32
  %61 = mul %57, %26 : f32
  %62 = mul %58, %28 : f32
  %63 = cast %59 : f16
  %64 = cast %60 : f16
  %65 = cast %61 : f16
  %66 = cast %62 : f16
  %67 = addptr %54, %0 : ptr<f16>
  store %67, %63
  %68 = addptr %54, %2 : ptr<f16>
  store %68, %64
  %69 = addptr %54, %4 : ptr<f16>
  store %69, %65
  %70 = addptr %54, %6 : ptr<f16>
  store %70, %66, %10
  return
}
