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
  %1 = cast %0 : i32
  %2 = constant {256} : i64
  %3 = add %0, %2 : i64
  %4 = constant {512} : i64
  %5 = add %0, %4 : i64
  %6 = constant {768} : i64
  %7 = constant {768} : i32
  %8 = add %0, %6 : i64
  %9 = add %1, %7 : i32
  %10 = constant {1009} : i64
  %11 = constant {1009} : i32
  %12 = mul %row, %10 : i64
  %13 = addptr %X, %12 : ptr<f16>
  %14 = lt %9, %11 : bool
  %15 = constant {0.0} : f16
  %16 = addptr %13, %0 : ptr<f16>
  %17 = load %16 : f16
  %18 = addptr %13, %3 : ptr<f16>
  %19 = load %18 : f16
  %20 = addptr %13, %5 : ptr<f16>
  %21 = load %20 : f16
  %22 = addptr %13, %8 : ptr<f16>
  %23 = load %22, %14, %15 : f16
  %x = cast %17 : f32
  %x.1 = cast %19 : f32
  %x.2 = cast %21 : f32
  %x.3 = cast %23 : f32
  %24 = constant {0.0} : f32
  %25 = addptr %W, %0 : ptr<f32>
  %26 = load %25 : f32
  %27 = addptr %W, %3 : ptr<f32>
  %28 = load %27 : f32
  %29 = addptr %W, %5 : ptr<f32>
  %30 = load %29 : f32
  %31 = addptr %W, %8 : ptr<f32>
  %32 = load %31, %14, %24 : f32
  %33 = mul %x, %x : f32
  %34 = mul %x.1, %x.1 : f32
  %35 = mul %x.2, %x.2 : f32
  %36 = mul %x.3, %x.3 : f32
  %37 = add %33, %35 : f32
  %38 = add %34, %36 : f32
  %39 = add %37, %38 : f32
  %40 = group_sum %39 : f32
  %41 = constant {0} : i32
  %42 = lane_index {0 to 32} : i64
  %43 = cast %42 : i32
  %44 = eq %43, %41 : bool
  %45 = constant {5} : i32
  %46 = shr %1, %45 : i32
  %47 = cast %46 : i64
  %48 = addptr %reduce_0, %47 : ptr<f32, threadgroup>
  store %48, %40, %44
  barrier {threadgroup}
  %49 = constant {8} : i32
  %50 = lt %43, %49 : bool
  %51 = constant {-0.0} : f32
  %52 = cast %43 : i64
  %53 = addptr %reduce_0, %52 : ptr<f32, threadgroup>
  %54 = load %53, %50, %51 : f32
  %55 = group_sum %54 : f32
  %56 = constant {1009.0} : f32
  %57 = div %55, %56 : f32
  %58 = add %57, %eps : f32
  %59 = sqrt %58 : f32
  %60 = constant {1.0} : f32
  %scale = div %60, %59 : f32
  %61 = addptr %Out, %12 : ptr<f16>
  %62 = mul %x, %scale : f32
  %63 = mul %x.1, %scale : f32
  %64 = mul %x.2, %scale : f32
  %65 = mul %x.3, %scale : f32
  %66 = mul %62, %26 : f32
  %67 = mul %63, %28 : f32
  %68 = mul %64, %30 : f32
  %69 = mul %65, %32 : f32
  %70 = cast %66 : f16
  %71 = cast %67 : f16
  %72 = cast %68 : f16
  %73 = cast %69 : f16
  %74 = addptr %61, %0 : ptr<f16>
  store %74, %70
  %75 = addptr %61, %3 : ptr<f16>
  store %75, %71
  %76 = addptr %61, %5 : ptr<f16>
  store %76, %72
  %77 = addptr %61, %8 : ptr<f16>
  store %77, %73, %14
  return
}
