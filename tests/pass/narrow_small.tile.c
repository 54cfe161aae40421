// args: --only fold,cse,dce,narrow_small,cse,dce
// Bytes that C promotes to ints stay bytes where only bytes are asked of them: choices, sums of low bits,
// comparisons of what ranges say has 8 bits, shifts to the right, and conditions that are counted. `both`
// below needs 9 bits, and its comparison is done in 16.
kernel void bytes(const uint8_t *restrict X, const int8_t *restrict Y, uint8_t *restrict Out, int *restrict Count)
{
    int i = arange(0, 64);
    uint8_t c = load(X + i);
    int8_t d = load(Y + i);
    int both = c + load(X + i + 64);
    store(Out + i, where(c >= 'a' && c <= 'z', c - 32, c));
    store(Out + i + 64, (c >> 4) + where((c & 15) < 10, '0', 'a' - 10));
    store(Out + i + 128, maximum(d, -5) >> 1);
    store(Out + i + 192, where(both > 300, 1, 0));
    store(Count, sum(where(c == ' ' || d < 0, 1, 0)));
}
---
func @bytes(%X: const restrict ptr<u8>, %Y: const restrict ptr<i8>, %Out: restrict ptr<u8>, %Count: restrict ptr<i32>) {
  %i = arange {0 to 64} : i64[64]
  %0 = broadcast %X : ptr<u8>[64]
  %1 = addptr %0, %i : ptr<u8>[64]
  %c = load %1 : u8[64]
  %2 = broadcast %Y : ptr<i8>[64]
  %3 = addptr %2, %i : ptr<i8>[64]
  %d = load %3 : i8[64]
  %4 = constant {64} : i64[64]
  %5 = addptr %1, %4 : ptr<u8>[64]
  %6 = load %5 : u8[64]
  %7 = cast %c : u16[64]
  %8 = cast %6 : u16[64]
  %9 = add %7, %8 : u16[64]
  %10 = broadcast %Out : ptr<u8>[64]
  %11 = addptr %10, %i : ptr<u8>[64]
  %12 = constant {97} : u8[64]
  %13 = ge %c, %12 : bool[64]
  %14 = constant {122} : u8[64]
  %15 = le %c, %14 : bool[64]
  %16 = and %13, %15 : bool[64]
  %17 = constant {32} : u8[64]
  %18 = constant {224} : u8[64]
  %19 = add %c, %18 : u8[64]
  %20 = select %16, %19, %c : u8[64]
  store %11, %20
  %21 = addptr %11, %4 : ptr<u8>[64]
  %22 = constant {4} : u8[64]
  %23 = shr %c, %22 : u8[64]
  %24 = constant {15} : u8[64]
  %25 = and %c, %24 : u8[64]
  %26 = constant {10} : u8[64]
  %27 = lt %25, %26 : bool[64]
  %28 = constant {48} : u8[64]
  %29 = constant {87} : u8[64]
  %30 = select %27, %28, %29 : u8[64]
  %31 = add %23, %30 : u8[64]
  store %21, %31
  %32 = constant {128} : i64[64]
  %33 = addptr %11, %32 : ptr<u8>[64]
  %34 = constant {-5} : i8[64]
  %35 = maximum %d, %34 : i8[64]
  %36 = constant {1} : i8[64]
  %37 = constant {1} : u16[64]
  %38 = shr %35, %36 : i8[64]
  %39 = cast %38 : u8[64]
  store %33, %39
  %40 = constant {192} : i64[64]
  %41 = addptr %11, %40 : ptr<u8>[64]
  %42 = constant {300} : u16[64]
  %43 = gt %9, %42 : bool[64]
  %44 = constant {0} : u16[64]
  %45 = constant {0} : i8[64]
  %46 = select %43, %37, %44 : u16[64]
  %47 = cast %46 : u8[64]
  store %41, %47
  %48 = eq %c, %17 : bool[64]
  %49 = lt %d, %45 : bool[64]
  %50 = or %48, %49 : bool[64]
  %51 = cast %50 : i32[64]
  %52 = sum {axis -1} %51 : i32
  store %Count, %52
  return
}
