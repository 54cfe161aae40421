// A condition of scalars is no branch, so that the taps of a picture's filter, with a mask for each,
// become one loop nest.
kernel void k(const float *restrict X, float *restrict Out, int height, int width)
{
    int y = program_id(1), x = arange(0, 16);
    float s = zeros(float, 16);
    for (int dy = -1; dy <= 1; dy += 2)
        s += load(X + (y + dy) * width + x, y + dy >= 0 && y + dy < height && x < width);
    store(Out + y * width + x, s, x < width);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %height: i32, %width: i32) {
  %height.1 = cast %height : i64
  %width.1 = cast %width : i64
  %y = program_id {axis 1} : i64
  %x = arange {0 to 16} : i64[16]
  %s = constant {0.0} : f32[16]
  %0 = constant {-1} : i64
  %1 = add %y, %0 : i64
  %2 = mul %1, %width.1 : i64
  %3 = addptr %X, %2 : ptr<f32>
  %4 = broadcast %3 : ptr<f32>[16]
  %5 = addptr %4, %x : ptr<f32>[16]
  %6 = constant {0} : i64
  %7 = ge %1, %6 : bool
  %8 = lt %1, %height.1 : bool
  %9 = and %7, %8 : bool
  %10 = broadcast %width.1 : i64[16]
  %11 = lt %x, %10 : bool[16]
  %12 = broadcast %9 : bool[16]
  %13 = and %12, %11 : bool[16]
  %14 = load %5, %13, %s : f32[16]
  %s.1 = add %14, %s : f32[16]
  %15 = constant {1} : i64
  %16 = add %y, %15 : i64
  %17 = mul %16, %width.1 : i64
  %18 = addptr %X, %17 : ptr<f32>
  %19 = broadcast %18 : ptr<f32>[16]
  %20 = addptr %19, %x : ptr<f32>[16]
  %21 = lt %16, %height.1 : bool
  %22 = broadcast %21 : bool[16]
  %23 = and %22, %11 : bool[16]
  %24 = load %20, %23, %s : f32[16]
  %s.2 = add %s.1, %24 : f32[16]
  %25 = mul %y, %width.1 : i64
  %26 = addptr %Out, %25 : ptr<f32>
  %27 = broadcast %26 : ptr<f32>[16]
  %28 = addptr %27, %x : ptr<f32>[16]
  store %28, %s.2, %11
  return
}
