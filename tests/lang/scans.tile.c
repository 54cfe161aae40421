// Running sums and maxima, and scan with a helper.
static float longer(float a, float b) { return where(abs(a) > abs(b), a, b); }
kernel void k(const float *X, const half *H, float *Out)
{
    int i = arange(0, 8);
    float x = load(X + i);
    store(Out + i, cumsum(x) + cumsum(x, exclusive));
    store(Out + i, cummax(x) + cumsum(load(H + i)));
    store(Out + i, scan(longer, x));
    store(Out + i, cumprod(load(H + i)) + cummin(x));
    store(Out + i, cumprod(x, exclusive, reverse));
    float t = reshape(x, 2, 4);
    store(Out + reshape(i, 2, 4), cumsum(t, axis(1), exclusive));
}
---
func @k(%X: const ptr<f32>, %H: const ptr<f16>, %Out: ptr<f32>) {
  %i = arange {0 to 8} : i64[8]
  %0 = broadcast %X : ptr<f32>[8]
  %1 = addptr %0, %i : ptr<f32>[8]
  %x = load %1 : f32[8]
  %2 = broadcast %Out : ptr<f32>[8]
  %3 = addptr %2, %i : ptr<f32>[8]
  %4 = cumsum {axis 0} %x : f32[8]
  %5 = cumsum {axis 0 exclusive} %x : f32[8]
  %6 = add %4, %5 : f32[8]
  store %3, %6
  %7 = broadcast %Out : ptr<f32>[8]
  %8 = addptr %7, %i : ptr<f32>[8]
  %9 = cummax {axis 0} %x : f32[8]
  %10 = broadcast %H : ptr<f16>[8]
  %11 = addptr %10, %i : ptr<f16>[8]
  %12 = load %11 : f16[8]
  %13 = cast %12 : f32[8]
  %14 = cumsum {axis 0} %13 : f32[8]
  %15 = add %9, %14 : f32[8]
  store %8, %15
  %16 = broadcast %Out : ptr<f32>[8]
  %17 = addptr %16, %i : ptr<f32>[8]
  %18 = scan {axis 0} %x by (%a, %b) : f32[8] {
    %19 = abs %a : f32
    %20 = abs %b : f32
    %21 = gt %19, %20 : bool
    %22 = select %21, %a, %b : f32
    yield %22
  }
  store %17, %18
  %23 = broadcast %Out : ptr<f32>[8]
  %24 = addptr %23, %i : ptr<f32>[8]
  %25 = broadcast %H : ptr<f16>[8]
  %26 = addptr %25, %i : ptr<f16>[8]
  %27 = load %26 : f16[8]
  %28 = cast %27 : f32[8]
  %29 = cumprod {axis 0} %28 : f32[8]
  %30 = cummin {axis 0} %x : f32[8]
  %31 = add %29, %30 : f32[8]
  store %24, %31
  %32 = broadcast %Out : ptr<f32>[8]
  %33 = addptr %32, %i : ptr<f32>[8]
  %34 = arange {0 to 8} : i64[8]
  %35 = constant {7} : i64[8]
  %36 = sub %35, %34 : i64[8]
  %37 = gather {axis 0} %x, %36 : f32[8]
  %38 = cumprod {axis 0 exclusive} %37 : f32[8]
  %39 = arange {0 to 8} : i64[8]
  %40 = constant {7} : i64[8]
  %41 = sub %40, %39 : i64[8]
  %42 = gather {axis 0} %38, %41 : f32[8]
  store %33, %42
  %t = reshape %x : f32[2, 4]
  %43 = reshape %i : i64[2, 4]
  %44 = broadcast %Out : ptr<f32>[2, 4]
  %45 = addptr %44, %43 : ptr<f32>[2, 4]
  %46 = cumsum {axis 1 exclusive} %t : f32[2, 4]
  store %45, %46
  return
}
