// Scalars and axes of 1 broadcast.
kernel void k(float *Out, int n)
{
    int row = expand_dims(arange(0, 4), 1);
    int col = expand_dims(arange(0, 8), 0);
    float x = row * 8 + col;
    store(Out + row * n + col, x + 0.5, col < n && row > 1);
    store(Out + row * n + col, 1.0f);
}
---
func @k(%Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = arange {0 to 4} : i64[4]
  %row = reshape %0 : i64[4, 1]
  %1 = arange {0 to 8} : i64[8]
  %col = reshape %1 : i64[1, 8]
  %2 = constant {8} : i64[4, 1]
  %3 = mul %row, %2 : i64[4, 1]
  %4 = broadcast %3 : i64[4, 8]
  %5 = broadcast %col : i64[4, 8]
  %6 = add %4, %5 : i64[4, 8]
  %x = cast %6 : f32[4, 8]
  %7 = broadcast %n.1 : i64[4, 1]
  %8 = mul %row, %7 : i64[4, 1]
  %9 = broadcast %Out : ptr<f32>[4, 1]
  %10 = addptr %9, %8 : ptr<f32>[4, 1]
  %11 = broadcast %10 : ptr<f32>[4, 8]
  %12 = broadcast %col : i64[4, 8]
  %13 = addptr %11, %12 : ptr<f32>[4, 8]
  %14 = constant {0.5} : f32[4, 8]
  %15 = add %x, %14 : f32[4, 8]
  %16 = broadcast %n.1 : i64[1, 8]
  %17 = lt %col, %16 : bool[1, 8]
  %18 = constant {1} : i64[4, 1]
  %19 = gt %row, %18 : bool[4, 1]
  %20 = broadcast %17 : bool[4, 8]
  %21 = broadcast %19 : bool[4, 8]
  %22 = and %20, %21 : bool[4, 8]
  store %13, %15, %22
  %23 = broadcast %n.1 : i64[4, 1]
  %24 = mul %row, %23 : i64[4, 1]
  %25 = broadcast %Out : ptr<f32>[4, 1]
  %26 = addptr %25, %24 : ptr<f32>[4, 1]
  %27 = broadcast %26 : ptr<f32>[4, 8]
  %28 = broadcast %col : i64[4, 8]
  %29 = addptr %27, %28 : ptr<f32>[4, 8]
  %30 = constant {1.0} : f32[4, 8]
  store %29, %30
  return
}
