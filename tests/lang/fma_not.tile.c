// No fma: across casts, negation, calls, variables, and in half.
static float product(float x, float y) { return x * y; }
kernel void k(const half *H, float *Out, float a, float b, float c)
{
    store(Out + 0, (float)(a * b) + c);
    store(Out + 1, -(a * b) + c);
    store(Out + 2, product(a, b) + c);
    float p = a * b;
    store(Out + 3, p + c);
    store(Out + 4, H[0] * H[1] + H[2]);
    store(Out + 5, H[0] * H[1] + c);
    store(Out + 6, +(a * b) + c);
    store(Out + 7, where(c > 0, a * b, 0) + c);
}
---
func @k(%H: const ptr<f16>, %Out: ptr<f32>, %a: f32, %b: f32, %c: f32) {
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = mul %a, %b : f32
  %3 = add %2, %c : f32
  store %1, %3
  %4 = constant {1} : i64
  %5 = addptr %Out, %4 : ptr<f32>
  %6 = mul %a, %b : f32
  %7 = neg %6 : f32
  %8 = add %7, %c : f32
  store %5, %8
  %9 = constant {2} : i64
  %10 = addptr %Out, %9 : ptr<f32>
  %11 = mul %a, %b : f32
  %12 = add %11, %c : f32
  store %10, %12
  %p = mul %a, %b : f32
  %13 = constant {3} : i64
  %14 = addptr %Out, %13 : ptr<f32>
  %15 = add %p, %c : f32
  store %14, %15
  %16 = constant {4} : i64
  %17 = addptr %Out, %16 : ptr<f32>
  %18 = constant {0} : i64
  %19 = addptr %H, %18 : ptr<f16>
  %20 = load %19 : f16
  %21 = constant {1} : i64
  %22 = addptr %H, %21 : ptr<f16>
  %23 = load %22 : f16
  %24 = mul %20, %23 : f16
  %25 = constant {2} : i64
  %26 = addptr %H, %25 : ptr<f16>
  %27 = load %26 : f16
  %28 = add %24, %27 : f16
  %29 = cast %28 : f32
  store %17, %29
  %30 = constant {5} : i64
  %31 = addptr %Out, %30 : ptr<f32>
  %32 = constant {0} : i64
  %33 = addptr %H, %32 : ptr<f16>
  %34 = load %33 : f16
  %35 = constant {1} : i64
  %36 = addptr %H, %35 : ptr<f16>
  %37 = load %36 : f16
  %38 = mul %34, %37 : f16
  %39 = cast %38 : f32
  %40 = add %39, %c : f32
  store %31, %40
  %41 = constant {6} : i64
  %42 = addptr %Out, %41 : ptr<f32>
  %43 = mul %a, %b : f32
  %44 = add %43, %c : f32
  store %42, %44
  %45 = constant {7} : i64
  %46 = addptr %Out, %45 : ptr<f32>
  %47 = constant {0.0} : f32
  %48 = gt %c, %47 : bool
  %49 = mul %a, %b : f32
  %50 = constant {0.0} : f32
  %51 = select %48, %49, %50 : f32
  %52 = add %51, %c : f32
  store %46, %52
  return
}
