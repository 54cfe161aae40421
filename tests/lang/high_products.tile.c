// args: -D N=8
#include <tilec/kernel.h>
/* An index is cut to its int; two of one small type keep it, others meet as in C; truths are ints. */
kernel void k(const uint8_t *X, const int16_t *Y, const unsigned *Z, int *Out, constexpr int N)
{
    int i = arange(0, N);
    static_require(ctz(N) == 3 && ctz(0) == 32 && mulhi(1 << 30, N) == 2, "known");
    static_require(mulhi(-1, 1) == -1 && mulhi((uint64_t)1 << 63, (uint64_t)6) == 3, "known");
    uint8_t x = load(X + i);
    store(Out + i, mulhi(x, x) + ctz(x) + ctz(i));
    store(Out + i, mulhi(i, -5) + mulhi(x, load(Y + i)) + mulhi(x > 1, x > 2));
    store(Out + i, mulhi(load(Z + i), 0xaaaaaaab) >> 1);
}
---
func @k(%X: const ptr<u8>, %Y: const ptr<i16>, %Z: const ptr<u32>, %Out: ptr<i32>) {
  %i = arange {0 to 8} : i64[8]
  %0 = broadcast %X : ptr<u8>[8]
  %1 = addptr %0, %i : ptr<u8>[8]
  %x = load %1 : u8[8]
  %2 = broadcast %Out : ptr<i32>[8]
  %3 = addptr %2, %i : ptr<i32>[8]
  %4 = mulhi %x, %x : u8[8]
  %5 = ctz %x : u8[8]
  %6 = cast %4 : i32[8]
  %7 = cast %5 : i32[8]
  %8 = add %6, %7 : i32[8]
  %9 = cast %i : i32[8]
  %10 = ctz %9 : i32[8]
  %11 = add %8, %10 : i32[8]
  store %3, %11
  %12 = broadcast %Out : ptr<i32>[8]
  %13 = addptr %12, %i : ptr<i32>[8]
  %14 = cast %i : i32[8]
  %15 = constant {-5} : i32[8]
  %16 = mulhi %14, %15 : i32[8]
  %17 = broadcast %Y : ptr<i16>[8]
  %18 = addptr %17, %i : ptr<i16>[8]
  %19 = load %18 : i16[8]
  %20 = cast %x : i32[8]
  %21 = cast %19 : i32[8]
  %22 = mulhi %20, %21 : i32[8]
  %23 = add %16, %22 : i32[8]
  %24 = cast %x : i32[8]
  %25 = constant {1} : i32[8]
  %26 = gt %24, %25 : bool[8]
  %27 = cast %x : i32[8]
  %28 = constant {2} : i32[8]
  %29 = gt %27, %28 : bool[8]
  %30 = cast %26 : i32[8]
  %31 = cast %29 : i32[8]
  %32 = mulhi %30, %31 : i32[8]
  %33 = add %23, %32 : i32[8]
  store %13, %33
  %34 = broadcast %Out : ptr<i32>[8]
  %35 = addptr %34, %i : ptr<i32>[8]
  %36 = broadcast %Z : ptr<u32>[8]
  %37 = addptr %36, %i : ptr<u32>[8]
  %38 = load %37 : u32[8]
  %39 = constant {2863311531} : u32[8]
  %40 = mulhi %38, %39 : u32[8]
  %41 = constant {1} : u32[8]
  %42 = shr %40, %41 : u32[8]
  %43 = cast %42 : i32[8]
  store %35, %43
  return
}
