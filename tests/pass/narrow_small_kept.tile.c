// args: --only fold,cse,dce,narrow_small,cse,dce
// What is asked for as ints stays; so do comparisons that need more than 16 bits, choices by floats or by
// ints that are loaded, products of bytes, and sums whose terms are no conditions.
kernel void ints(const uint8_t *restrict X, const int *restrict Z, const float *restrict F, uint8_t *restrict Out,
                 int *restrict Wide)
{
    int i = arange(0, 64);
    uint8_t c = load(X + i);
    store(Wide + i, where(c > 9, c + 1, 0));
    store(Out + i, where(load(Z + i) > 9, c + 1, c));
    store(Out + i + 64, where(load(F + i) > 9, c + 1, c));
    store(Out + i + 128, where(c * c * c > 9, c + 1, c));
    store(Out + i + 192, c * 3);
    store(Wide + 64, sum(where(c > 9, 2, 1)));
}
---
func @ints(%X: const restrict ptr<u8>, %Z: const restrict ptr<i32>, %F: const restrict ptr<f32>, %Out: restrict ptr<u8>, %Wide: restrict ptr<i32>) {
  %i = arange {0 to 64} : i64[64]
  %0 = broadcast %X : ptr<u8>[64]
  %1 = addptr %0, %i : ptr<u8>[64]
  %c = load %1 : u8[64]
  %2 = broadcast %Wide : ptr<i32>[64]
  %3 = addptr %2, %i : ptr<i32>[64]
  %4 = cast %c : i32[64]
  %5 = constant {9} : i32[64]
  %6 = gt %4, %5 : bool[64]
  %7 = constant {1} : i32[64]
  %8 = add %4, %7 : i32[64]
  %9 = constant {0} : i32[64]
  %10 = select %6, %8, %9 : i32[64]
  store %3, %10
  %11 = broadcast %Out : ptr<u8>[64]
  %12 = addptr %11, %i : ptr<u8>[64]
  %13 = broadcast %Z : ptr<i32>[64]
  %14 = addptr %13, %i : ptr<i32>[64]
  %15 = load %14 : i32[64]
  %16 = gt %15, %5 : bool[64]
  %17 = select %16, %8, %4 : i32[64]
  %18 = cast %17 : u8[64]
  store %12, %18
  %19 = constant {64} : i64[64]
  %20 = addptr %12, %19 : ptr<u8>[64]
  %21 = broadcast %F : ptr<f32>[64]
  %22 = addptr %21, %i : ptr<f32>[64]
  %23 = load %22 : f32[64]
  %24 = constant {9.0} : f32[64]
  %25 = gt %23, %24 : bool[64]
  %26 = select %25, %8, %4 : i32[64]
  %27 = cast %26 : u8[64]
  store %20, %27
  %28 = constant {128} : i64[64]
  %29 = addptr %12, %28 : ptr<u8>[64]
  %30 = mul %4, %4 : i32[64]
  %31 = mul %30, %4 : i32[64]
  %32 = gt %31, %5 : bool[64]
  %33 = select %32, %8, %4 : i32[64]
  %34 = cast %33 : u8[64]
  store %29, %34
  %35 = constant {192} : i64[64]
  %36 = addptr %12, %35 : ptr<u8>[64]
  %37 = constant {3} : i32[64]
  %38 = mul %4, %37 : i32[64]
  %39 = cast %38 : u8[64]
  store %36, %39
  %40 = constant {64} : i64
  %41 = addptr %Wide, %40 : ptr<i32>
  %42 = constant {2} : i32[64]
  %43 = select %6, %42, %7 : i32[64]
  %44 = sum {axis -1} %43 : i32
  store %41, %44
  return
}
