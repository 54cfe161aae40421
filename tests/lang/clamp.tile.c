// args: -D N=8
// clamp is maximum and then minimum: the types are theirs, and an index stays one.
kernel void k(const uint8_t *X, const half *H, int *Out, half *Halves, int n, constexpr int N)
{
    int i = arange(0, N);
    static_require(clamp(N, 1, 5) == 5 && clamp(-1, 0, 9) == 0 && clamp(7, 5, 3) == 3, "known");
    uint8_t x = load(X + i), least = 3, most = 200;
    store(Out + clamp(i - 1, 0, n - 1), clamp(x, least, most));
    store(Halves + i, clamp(load(H + i), 0, 1));
}
---
func @k(%X: const ptr<u8>, %H: const ptr<f16>, %Out: ptr<i32>, %Halves: ptr<f16>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 8} : i64[8]
  %0 = broadcast %X : ptr<u8>[8]
  %1 = addptr %0, %i : ptr<u8>[8]
  %x = load %1 : u8[8]
  %least = constant {3} : u8
  %most = constant {200} : u8
  %2 = constant {1} : i64[8]
  %3 = sub %i, %2 : i64[8]
  %4 = constant {1} : i64
  %5 = sub %n.1, %4 : i64
  %6 = constant {0} : i64[8]
  %7 = maximum %3, %6 : i64[8]
  %8 = broadcast %5 : i64[8]
  %9 = minimum %7, %8 : i64[8]
  %10 = broadcast %Out : ptr<i32>[8]
  %11 = addptr %10, %9 : ptr<i32>[8]
  %12 = broadcast %least : u8[8]
  %13 = maximum %x, %12 : u8[8]
  %14 = broadcast %most : u8[8]
  %15 = minimum %13, %14 : u8[8]
  %16 = cast %15 : i32[8]
  store %11, %16
  %17 = broadcast %Halves : ptr<f16>[8]
  %18 = addptr %17, %i : ptr<f16>[8]
  %19 = broadcast %H : ptr<f16>[8]
  %20 = addptr %19, %i : ptr<f16>[8]
  %21 = load %20 : f16[8]
  %22 = constant {0.0} : f16[8]
  %23 = maximum %21, %22 : f16[8]
  %24 = constant {1.0} : f16[8]
  %25 = minimum %23, %24 : f16[8]
  store %18, %25
  return
}
