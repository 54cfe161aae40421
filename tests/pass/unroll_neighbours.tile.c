// args: --only fold,unroll_short_loops,fold,cse,dce -D ROWS=5
// Three neighbours in each of five rows whose distance nobody knows, under one mask: five places and one mask
// (src/opt/trips.c), so that both loops are unrolled, although they load 15 tiles.
kernel void near(const uint8_t *restrict X, int *restrict Out, int w, constexpr int ROWS)
{
    int x = arange(0, 64), s = zeros(int, 64);
    for (int dy = 0; dy < ROWS; dy++)
        for (int dx = 0; dx < 3; dx++)
            s += load(X + dy * w + x + dx, x < w - 2);
    store(Out + x, s);
}
---
func @near(%X: const restrict ptr<u8>, %Out: restrict ptr<i32>, %w: i32) {
  %w.1 = cast %w : i64
  %x = arange {0 to 64} : i64[64]
  %0 = constant {3} : i64
  %1 = broadcast %X : ptr<u8>[64]
  %2 = addptr %1, %x : ptr<u8>[64]
  %3 = constant {2} : i64
  %4 = constant {-2} : i64
  %5 = add %w.1, %4 : i64
  %6 = broadcast %5 : i64[64]
  %7 = lt %x, %6 : bool[64]
  %8 = constant {0} : u8[64]
  %9 = load %2, %7, %8 : u8[64]
  %10 = cast %9 : i32[64]
  %11 = constant {1} : i64[64]
  %12 = addptr %2, %11 : ptr<u8>[64]
  %13 = load %12, %7, %8 : u8[64]
  %14 = cast %13 : i32[64]
  %s = add %10, %14 : i32[64]
  %15 = constant {2} : i64[64]
  %16 = addptr %2, %15 : ptr<u8>[64]
  %17 = load %16, %7, %8 : u8[64]
  %18 = cast %17 : i32[64]
  %s.1 = add %s, %18 : i32[64]
  %19 = addptr %X, %w.1 : ptr<u8>
  %20 = broadcast %19 : ptr<u8>[64]
  %21 = addptr %20, %x : ptr<u8>[64]
  %22 = load %21, %7, %8 : u8[64]
  %23 = cast %22 : i32[64]
  %s.2 = add %s.1, %23 : i32[64]
  %24 = addptr %21, %11 : ptr<u8>[64]
  %25 = load %24, %7, %8 : u8[64]
  %26 = cast %25 : i32[64]
  %s.3 = add %s.2, %26 : i32[64]
  %27 = addptr %21, %15 : ptr<u8>[64]
  %28 = load %27, %7, %8 : u8[64]
  %29 = cast %28 : i32[64]
  %s.4 = add %s.3, %29 : i32[64]
  %30 = mul %w.1, %3 : i64
  %31 = addptr %X, %30 : ptr<u8>
  %32 = broadcast %31 : ptr<u8>[64]
  %33 = addptr %32, %x : ptr<u8>[64]
  %34 = load %33, %7, %8 : u8[64]
  %35 = cast %34 : i32[64]
  %s.5 = add %s.4, %35 : i32[64]
  %36 = addptr %33, %11 : ptr<u8>[64]
  %37 = load %36, %7, %8 : u8[64]
  %38 = cast %37 : i32[64]
  %s.6 = add %s.5, %38 : i32[64]
  %39 = addptr %33, %15 : ptr<u8>[64]
  %40 = load %39, %7, %8 : u8[64]
  %41 = cast %40 : i32[64]
  %s.7 = add %s.6, %41 : i32[64]
  %42 = mul %w.1, %0 : i64
  %43 = addptr %X, %42 : ptr<u8>
  %44 = broadcast %43 : ptr<u8>[64]
  %45 = addptr %44, %x : ptr<u8>[64]
  %46 = load %45, %7, %8 : u8[64]
  %47 = cast %46 : i32[64]
  %s.8 = add %s.7, %47 : i32[64]
  %48 = addptr %45, %11 : ptr<u8>[64]
  %49 = load %48, %7, %8 : u8[64]
  %50 = cast %49 : i32[64]
  %s.9 = add %s.8, %50 : i32[64]
  %51 = addptr %45, %15 : ptr<u8>[64]
  %52 = load %51, %7, %8 : u8[64]
  %53 = cast %52 : i32[64]
  %s.10 = add %s.9, %53 : i32[64]
  %54 = constant {4} : i64
  %55 = mul %w.1, %54 : i64
  %56 = addptr %X, %55 : ptr<u8>
  %57 = broadcast %56 : ptr<u8>[64]
  %58 = addptr %57, %x : ptr<u8>[64]
  %59 = load %58, %7, %8 : u8[64]
  %60 = cast %59 : i32[64]
  %s.11 = add %s.10, %60 : i32[64]
  %61 = addptr %58, %11 : ptr<u8>[64]
  %62 = load %61, %7, %8 : u8[64]
  %63 = cast %62 : i32[64]
  %s.12 = add %s.11, %63 : i32[64]
  %64 = addptr %58, %15 : ptr<u8>[64]
  %65 = load %64, %7, %8 : u8[64]
  %66 = cast %65 : i32[64]
  %s.13 = add %s.12, %66 : i32[64]
  %67 = broadcast %Out : ptr<i32>[64]
  %68 = addptr %67, %x : ptr<i32>[64]
  store %68, %s.13
  return
}
