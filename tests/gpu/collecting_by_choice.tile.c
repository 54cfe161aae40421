// args: -D BLOCK=128
// What is carried is chosen, not collected, so that blocks cannot be taken together: each of 32
// threads takes vectors of 4 of one block instead.
#include <tilec/kernel.h>
launch_grid(last_above, rows);
kernel void last_above(const float *restrict X, int *restrict Out, int rows, int N, constexpr int BLOCK)
{
    int row = program_id(0);
    int lane = arange(0, BLOCK);
    int last = -1;
    for (int i = 0; i < N; i += BLOCK)
        last = where(load(X + row * N + i + lane, i + lane < N) > 1.0f, i + lane, last);
    store(Out + row, max(last));
}
---
func @last_above(%X: const restrict ptr<f32>, %Out: restrict ptr<i32>, %rows: i32, %N: i32) {
  %N.1 = cast %N : i64
  %row = program_id {axis 0} : i64
  %0 = thread_index {0 to 32} : i64
  %1 = cast %0 : i32
  %2 = constant {4} : i64
  %3 = mul %0, %2 : i64
  %4 = constant {0} : i64
  %5 = constant {0} : i32
  %6 = constant {3} : i64
  %7 = constant {1} : i64
  %8 = constant {2} : i64
  %9 = arange {0 to 4} : i64[4]
  %10 = broadcast %3 : i64[4]
  %11 = add %3, %6 : i64
  %12 = add %3, %7 : i64
  %13 = add %3, %8 : i64
  %14 = add %10, %9 : i64[4]
  %15 = constant {128} : i64
  %16 = constant {-1} : i64[4]
  %17 = mul %row, %N.1 : i64
  %18 = addptr %X, %17 : ptr<f32>
  %19 = constant {-127} : i64
  %20 = add %N.1, %19 : i64
  %21 = maximum %20, %4 : i64
  %22 = constant {127} : i64
  %23 = add %21, %22 : i64
  %24 = constant {7} : i64
  %25 = shr %23, %24 : i64
  %26 = mul %25, %15 : i64
  %last = for %i = %4 to %26 step %15 carry (%last.1 = %16) : i64[4] {
    %27 = addptr %18, %i : ptr<f32>
    %28 = broadcast %i : i64[4]
    %29 = add %28, %14 : i64[4]
    %30 = addptr %27, %3 : ptr<f32>
    %31 = vector_load {packed} %30 : f32[4]
    %32 = constant {1.0} : f32[4]
    %33 = gt %31, %32 : bool[4]
    %last.2 = select %33, %29, %last.1 : i64[4]
    yield %last.2
  }
  %last.3 = for %i.1 = %26 to %N.1 step %15 carry (%last.4 = %last) : i64[4] {
    %34 = addptr %18, %i.1 : ptr<f32>
    %35 = broadcast %i.1 : i64[4]
    %36 = add %i.1, %11 : i64
    %37 = add %i.1, %3 : i64
    %38 = add %i.1, %12 : i64
    %39 = add %i.1, %13 : i64
    %40 = add %35, %14 : i64[4]
    %41 = lt %36, %N.1 : bool
    %42 = lt %37, %N.1 : bool
    %43 = lt %38, %N.1 : bool
    %44 = lt %39, %N.1 : bool
    %45 = constant {0.0} : f32
    %46 = if %41 : f32[4] {
      %47 = addptr %34, %3 : ptr<f32>
      %48 = vector_load {packed} %47 : f32[4]
      yield %48
    } else {
      %49 = addptr %34, %3 : ptr<f32>
      %50 = load %49, %42, %45 : f32
      %51 = addptr %34, %12 : ptr<f32>
      %52 = load %51, %43, %45 : f32
      %53 = addptr %34, %13 : ptr<f32>
      %54 = load %53, %44, %45 : f32
      %55 = addptr %34, %11 : ptr<f32>
      %56 = load %55, %41, %45 : f32
      %57 = pack %50, %52, %54, %56 : f32[4]
      yield %57
    }
    %58 = constant {1.0} : f32[4]
    %59 = gt %46, %58 : bool[4]
    %last.5 = select %59, %40, %last.4 : i64[4]
    yield %last.5
  }
  %60 = addptr %Out, %row : ptr<i32>
  %61 = extract {0} %last.3 : i64
  %62 = extract {1} %last.3 : i64
  %63 = extract {2} %last.3 : i64
  %64 = extract {3} %last.3 : i64
  %65 = maximum %61, %63 : i64
  %66 = maximum %62, %64 : i64
  %67 = maximum %65, %66 : i64
  %68 = cast %67 : u64
  %69 = constant {32} : u64
  %70 = cast %67 : u32
  %71 = shr %68, %69 : u64
  %72 = cast %71 : u32
  %73 = shuffle_xor {1} %70 : u32
  %74 = cast %73 : u64
  %75 = shuffle_xor {1} %72 : u32
  %76 = cast %75 : u64
  %77 = shl %76, %69 : u64
  %78 = or %77, %74 : u64
  %79 = cast %78 : i64
  %80 = maximum %67, %79 : i64
  %81 = cast %80 : u64
  %82 = cast %80 : u32
  %83 = shr %81, %69 : u64
  %84 = cast %83 : u32
  %85 = shuffle_xor {2} %82 : u32
  %86 = cast %85 : u64
  %87 = shuffle_xor {2} %84 : u32
  %88 = cast %87 : u64
  %89 = shl %88, %69 : u64
  %90 = or %89, %86 : u64
  %91 = cast %90 : i64
  %92 = maximum %80, %91 : i64
  %93 = cast %92 : u64
  %94 = cast %92 : u32
  %95 = shr %93, %69 : u64
  %96 = cast %95 : u32
  %97 = shuffle_xor {4} %94 : u32
  %98 = cast %97 : u64
  %99 = shuffle_xor {4} %96 : u32
  %100 = cast %99 : u64
  %101 = shl %100, %69 : u64
  %102 = or %101, %98 : u64
  %103 = cast %102 : i64
  %104 = maximum %92, %103 : i64
  %105 = cast %104 : u64
  %106 = cast %104 : u32
  %107 = shr %105, %69 : u64
  %108 = cast %107 : u32
  %109 = shuffle_xor {8} %106 : u32
  %110 = cast %109 : u64
  %111 = shuffle_xor {8} %108 : u32
  %112 = cast %111 : u64
  %113 = shl %112, %69 : u64
  %114 = or %113, %110 : u64
  %115 = cast %114 : i64
  %116 = maximum %104, %115 : i64
  %117 = cast %116 : u64
  %118 = cast %116 : u32
  %119 = shr %117, %69 : u64
  %120 = cast %119 : u32
  %121 = shuffle_xor {16} %118 : u32
  %122 = cast %121 : u64
  %123 = shuffle_xor {16} %120 : u32
  %124 = cast %123 : u64
  %125 = shl %124, %69 : u64
  %126 = or %125, %122 : u64
  %127 = cast %126 : i64
  %128 = maximum %116, %127 : i64
  %129 = cast %128 : i32
  %130 = eq %1, %5 : bool
  store %60, %129, %130
  return
}
