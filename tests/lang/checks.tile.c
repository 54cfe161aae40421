// tile_assert, tile_print, static_require.
// args: -D B=4
constexpr int SIZE = 4;
static_require(SIZE == 4, "the size is 4");
kernel void k(float *Out, int n, constexpr int B)
{
    static_require(B > 3, "B is too small");
    tile_assert(arange(0, B) < n, "n is at least B");
    tile_print("n = ", n);
}
---
func @k(%Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = arange {0 to 4} : i64[4]
  %1 = broadcast %n.1 : i64[4]
  %2 = lt %0, %1 : bool[4]
  assert {"n is at least B"} %2
  print {"n = "} %n.1
  return
}
