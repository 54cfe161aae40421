// Over everything or along one axis; small types are summed in float and int.
kernel void k(const half *H, const int8_t *C, float *Out, int *I)
{
    int i = expand_dims(arange(0, 4), 1) * 8 + expand_dims(arange(0, 8), 0);
    half h = load(H + i);
    int8_t c = load(C + i);
    store(Out + 0, sum(h));
    store(Out + arange(0, 8), sum(h, axis(0)));
    store(Out + expand_dims(arange(0, 4), 1), max(h, axis(1), keep));
    store(I + 0, sum(c));
    store(I + 1, sum(c > 0));
    store(I + 2, prod(c));
    store(I + 3, max(c));
    store(I + argmax(h), 1);
    store(I + arange(0, 4), argmin(c, axis(1)));
    store(I + 4, any(c > 0) && all(c));
    store(Out + 1, sum(2.5));
}
---
func @k(%H: const ptr<f16>, %C: const ptr<i8>, %Out: ptr<f32>, %I: ptr<i32>) {
  %0 = arange {0 to 4} : i64[4]
  %1 = reshape %0 : i64[4, 1]
  %2 = constant {8} : i64[4, 1]
  %3 = mul %1, %2 : i64[4, 1]
  %4 = arange {0 to 8} : i64[8]
  %5 = reshape %4 : i64[1, 8]
  %6 = broadcast %3 : i64[4, 8]
  %7 = broadcast %5 : i64[4, 8]
  %i = add %6, %7 : i64[4, 8]
  %8 = broadcast %H : ptr<f16>[4, 8]
  %9 = addptr %8, %i : ptr<f16>[4, 8]
  %h = load %9 : f16[4, 8]
  %10 = broadcast %C : ptr<i8>[4, 8]
  %11 = addptr %10, %i : ptr<i8>[4, 8]
  %c = load %11 : i8[4, 8]
  %12 = constant {0} : i64
  %13 = addptr %Out, %12 : ptr<f32>
  %14 = cast %h : f32[4, 8]
  %15 = sum {axis -1} %14 : f32
  store %13, %15
  %16 = arange {0 to 8} : i64[8]
  %17 = broadcast %Out : ptr<f32>[8]
  %18 = addptr %17, %16 : ptr<f32>[8]
  %19 = cast %h : f32[4, 8]
  %20 = sum {axis 0} %19 : f32[8]
  store %18, %20
  %21 = arange {0 to 4} : i64[4]
  %22 = reshape %21 : i64[4, 1]
  %23 = broadcast %Out : ptr<f32>[4, 1]
  %24 = addptr %23, %22 : ptr<f32>[4, 1]
  %25 = max {axis 1} %h : f16[4]
  %26 = reshape %25 : f16[4, 1]
  %27 = cast %26 : f32[4, 1]
  store %24, %27
  %28 = constant {0} : i64
  %29 = addptr %I, %28 : ptr<i32>
  %30 = cast %c : i32[4, 8]
  %31 = sum {axis -1} %30 : i32
  store %29, %31
  %32 = constant {1} : i64
  %33 = addptr %I, %32 : ptr<i32>
  %34 = cast %c : i32[4, 8]
  %35 = constant {0} : i32[4, 8]
  %36 = gt %34, %35 : bool[4, 8]
  %37 = cast %36 : i32[4, 8]
  %38 = sum {axis -1} %37 : i32
  store %33, %38
  %39 = constant {2} : i64
  %40 = addptr %I, %39 : ptr<i32>
  %41 = cast %c : i32[4, 8]
  %42 = prod {axis -1} %41 : i32
  store %40, %42
  %43 = constant {3} : i64
  %44 = addptr %I, %43 : ptr<i32>
  %45 = max {axis -1} %c : i8
  %46 = cast %45 : i32
  store %44, %46
  %47 = argmax {axis -1} %h : i64
  %48 = addptr %I, %47 : ptr<i32>
  %49 = constant {1} : i32
  store %48, %49
  %50 = arange {0 to 4} : i64[4]
  %51 = broadcast %I : ptr<i32>[4]
  %52 = addptr %51, %50 : ptr<i32>[4]
  %53 = argmin {axis 1} %c : i64[4]
  %54 = cast %53 : i32[4]
  store %52, %54
  %55 = constant {4} : i64
  %56 = addptr %I, %55 : ptr<i32>
  %57 = cast %c : i32[4, 8]
  %58 = constant {0} : i32[4, 8]
  %59 = gt %57, %58 : bool[4, 8]
  %60 = any {axis -1} %59 : bool
  %61 = cast %c : bool[4, 8]
  %62 = all {axis -1} %61 : bool
  %63 = and %60, %62 : bool
  %64 = cast %63 : i32
  store %56, %64
  %65 = constant {1} : i64
  %66 = addptr %Out, %65 : ptr<f32>
  %67 = constant {2.5} : f32
  store %66, %67
  return
}
