// args: -D N=8
#include <tilec/kernel.h>
/* An index is cut to its int; 8 bits stay 8; what is known is computed. */
kernel void k(const uint8_t *X, int *Out, constexpr int N)
{
    int i = arange(0, N);
    static_require(popcount(N) == 1 && clz(N) == 28 && rint(2.5) == 2, "known");
    uint8_t x = load(X + i);
    store(Out + i, popcount(i) + clz(x) + popcount(x > 3));
}
---
func @k(%X: const ptr<u8>, %Out: ptr<i32>) {
  %i = arange {0 to 8} : i64[8]
  %0 = broadcast %X : ptr<u8>[8]
  %1 = addptr %0, %i : ptr<u8>[8]
  %x = load %1 : u8[8]
  %2 = broadcast %Out : ptr<i32>[8]
  %3 = addptr %2, %i : ptr<i32>[8]
  %4 = cast %i : i32[8]
  %5 = popcount %4 : i32[8]
  %6 = clz %x : u8[8]
  %7 = cast %6 : i32[8]
  %8 = add %5, %7 : i32[8]
  %9 = cast %x : i32[8]
  %10 = constant {3} : i32[8]
  %11 = gt %9, %10 : bool[8]
  %12 = cast %11 : i32[8]
  %13 = popcount %12 : i32[8]
  %14 = add %8, %13 : i32[8]
  store %3, %14
  return
}
