// Tables of constants: where they may stand, what their elements are, and what an index of each
// kind gives.
static const float quarters[4] = {0.25f, 0.5, .75, 1};
const unsigned crc[] = {
    1,
    [4] = 0xffffffff,
    7,
};
constexpr short shorts[2 * 3] = {-1, [1] = 'a'};
constexpr bool odd[2] = {false, true};
constexpr int sizes[2] = {sizeof(float), 4 * 4};
static float again(int i)
{
    const float table[3] = {0.1f, 0.2f, 1.0f / 3};
    return table[i];
}
kernel void k(float *Out, int *R, const uint8_t *Q, int n, constexpr int B)
{
    static const half halves[3] = {1.5, INFINITY, B};
    constexpr int size = sizes[1];
    int i = arange(0, size);
    store(Out + i, quarters[load(Q + i) & 3] + quarters[1]);
    store(R + i, crc[load(Q + i)] + shorts[i]);
    store(Out, halves[n] + again(n) + again(n + 1));
    store(R, where(odd[n > 1], shorts[size - 15], crc[5]));
    if (n >= 0 && n < 4 && quarters[n] > 0.5f)
        store(Out + 1, quarters[n]);
}
// args: -D B=2
---
func @k(%Out: ptr<f32>, %R: ptr<i32>, %Q: const ptr<u8>, %n: i32) {
  table @quarters f32 {0.25, 0.5, 0.75, 1.0}
  table @crc u32 {1, 0, 0, 0, 4294967295, 7}
  table @shorts i16 {-1, 97, 0, 0, 0, 0}
  table @halves f16 {1.5, inf, 2.0}
  table @table f32 {0.1, 0.2, 0.33333334}
  table @odd bool {false, true}
  %n.1 = cast %n : i64
  %i = arange {0 to 16} : i64[16]
  %0 = broadcast %Out : ptr<f32>[16]
  %1 = addptr %0, %i : ptr<f32>[16]
  %2 = broadcast %Q : ptr<u8>[16]
  %3 = addptr %2, %i : ptr<u8>[16]
  %4 = load %3 : u8[16]
  %5 = cast %4 : i32[16]
  %6 = constant {3} : i32[16]
  %7 = and %5, %6 : i32[16]
  %8 = lookup {@quarters} %7 : f32[16]
  %9 = constant {0.5} : f32[16]
  %10 = add %8, %9 : f32[16]
  store %1, %10
  %11 = broadcast %R : ptr<i32>[16]
  %12 = addptr %11, %i : ptr<i32>[16]
  %13 = broadcast %Q : ptr<u8>[16]
  %14 = addptr %13, %i : ptr<u8>[16]
  %15 = load %14 : u8[16]
  %16 = lookup {@crc} %15 : u32[16]
  %17 = lookup {@shorts} %i : i16[16]
  %18 = cast %17 : i32[16]
  %19 = cast %18 : u32[16]
  %20 = add %16, %19 : u32[16]
  %21 = cast %20 : i32[16]
  store %12, %21
  %22 = lookup {@halves} %n.1 : f16
  %23 = lookup {@table} %n.1 : f32
  %24 = cast %22 : f32
  %25 = add %24, %23 : f32
  %26 = constant {1} : i64
  %i.1 = add %n.1, %26 : i64
  %27 = lookup {@table} %i.1 : f32
  %28 = add %25, %27 : f32
  store %Out, %28
  %29 = constant {1} : i64
  %30 = gt %n.1, %29 : bool
  %31 = cast %30 : i32
  %32 = lookup {@odd} %31 : bool
  %33 = constant {97} : u32
  %34 = constant {7} : u32
  %35 = select %32, %33, %34 : u32
  %36 = cast %35 : i32
  store %R, %36
  %37 = constant {0} : i64
  %38 = ge %n.1, %37 : bool
  %39 = constant {4} : i64
  %40 = lt %n.1, %39 : bool
  %41 = and %38, %40 : bool
  %42 = if %41 : bool {
    %43 = lookup {@quarters} %n.1 : f32
    %44 = constant {0.5} : f32
    %45 = gt %43, %44 : bool
    yield %45
  } else {
    %46 = constant {false} : bool
    yield %46
  }
  if %42 {
    %47 = constant {1} : i64
    %48 = addptr %Out, %47 : ptr<f32>
    %49 = lookup {@quarters} %n.1 : f32
    store %48, %49
    yield
  } else {
    yield
  }
  return
}
