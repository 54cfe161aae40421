// args: -D eps=1e-6 -D zero=0 -D below=-1e-6 --require threads=32
// Which roots need no second way for subnormal numbers: where squares and a number that is known are
// added, and the like; not where nothing is known, or 0 may be reached.
#include <tilec/kernel.h>
launch_grid(roots, 1);
kernel void roots(const float *restrict X, float *restrict Out, float eps, float zero, float below, float free)
{
    float x = load(X + arange(0, 32));
    float y = X[40];
    float squares = sum(x * x);
    store(Out + 0, rsqrt(squares * 0.5f + eps));
    store(Out + 1, rsqrt(eps + sum(abs(x)) / 32.0f));
    store(Out + 2, rsqrt(where(y > 0.0f, exp(y), sqrt(y)) + 2.0f * eps));
    store(Out + 3, rsqrt(maximum(y, eps)));
    store(Out + 4, rsqrt(squares + zero));
    store(Out + 5, rsqrt(squares + free));
    store(Out + 6, rsqrt(squares * below + eps));
    store(Out + 7, rsqrt(sum(x * y) + eps));
    store(Out + 8, rsqrt(minimum(y, eps)));
    store(Out + 9, rsqrt(squares + 1e-40f));
}
---
func @roots(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %eps: f32 = 1.0, %zero: f32 = 0.0, %below: f32 = -1.0, %free: f32) {
  %eps.1 = constant {1.0} : f32
  %zero.1 = constant {0.0} : f32
  %below.1 = constant {-1.0} : f32
  %0 = thread_index {0 to 32} : i64
  %1 = cast %0 : i32
  %2 = addptr %X, %0 : ptr<f32>
  %3 = load %2 : f32
  %4 = constant {40} : i64
  %5 = addptr %X, %4 : ptr<f32>
  %y = load %5 : f32
  %6 = mul %3, %3 : f32
  %squares = group_sum %6 : f32
  %7 = constant {0.5} : f32
  %8 = fma %squares, %7, %eps.1 : f32
  %9 = rsqrt_normal %8 : f32
  %10 = constant {0} : i32
  %11 = eq %1, %10 : bool
  store %Out, %9, %11
  %12 = constant {1} : i64
  %13 = addptr %Out, %12 : ptr<f32>
  %14 = abs %3 : f32
  %15 = group_sum %14 : f32
  %16 = constant {0.03125} : f32
  %17 = mul %15, %16 : f32
  %18 = add %17, %eps.1 : f32
  %19 = rsqrt_normal %18 : f32
  barrier {device}
  store %13, %19, %11
  %20 = constant {2} : i64
  %21 = addptr %Out, %20 : ptr<f32>
  %22 = gt %y, %zero.1 : bool
  %23 = exp %y : f32
  %24 = sqrt %y : f32
  %25 = select %22, %23, %24 : f32
  %26 = constant {2.0} : f32
  %27 = add %25, %26 : f32
  %28 = rsqrt_normal %27 : f32
  barrier {device}
  store %21, %28, %11
  %29 = constant {3} : i64
  %30 = addptr %Out, %29 : ptr<f32>
  %31 = maximum %y, %eps.1 : f32
  %32 = rsqrt_normal %31 : f32
  barrier {device}
  store %30, %32, %11
  %33 = constant {4} : i64
  %34 = addptr %Out, %33 : ptr<f32>
  %35 = add %squares, %zero.1 : f32
  %36 = rsqrt %35 : f32
  barrier {device}
  store %34, %36, %11
  %37 = constant {5} : i64
  %38 = addptr %Out, %37 : ptr<f32>
  %39 = add %squares, %free : f32
  %40 = rsqrt %39 : f32
  barrier {device}
  store %38, %40, %11
  %41 = constant {6} : i64
  %42 = addptr %Out, %41 : ptr<f32>
  %43 = fma %squares, %below.1, %eps.1 : f32
  %44 = rsqrt %43 : f32
  barrier {device}
  store %42, %44, %11
  %45 = constant {7} : i64
  %46 = addptr %Out, %45 : ptr<f32>
  %47 = mul %3, %y : f32
  %48 = group_sum %47 : f32
  %49 = add %48, %eps.1 : f32
  %50 = rsqrt %49 : f32
  barrier {device}
  store %46, %50, %11
  %51 = constant {8} : i64
  %52 = addptr %Out, %51 : ptr<f32>
  %53 = minimum %y, %eps.1 : f32
  %54 = rsqrt %53 : f32
  barrier {device}
  store %52, %54, %11
  %55 = constant {9} : i64
  %56 = addptr %Out, %55 : ptr<f32>
  %57 = constant {0x000116c2} : f32
  %58 = add %squares, %57 : f32
  %59 = rsqrt %58 : f32
  barrier {device}
  store %56, %59, %11
  return
}
