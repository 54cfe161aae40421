// Views: row-major or strided; as many sizes as the tile has axes, for the view's last axes.
// args: -D B=4
kernel void k(const float *X, float *Out, int n, int m, constexpr int B)
{
    auto x = view(X, n, m);
    auto t = view_strided(Out, m, n, 1, m);
    float block = tile_load(x, n - 1, 0, B, 8);
    float row = tile_load_or(-INFINITY, x, 2, m - 4, 8);
    tile_store(t, 0, n, trans(block));
    tile_store(t, 1, 2, exp(row));
    auto one = view(Out, 16);
    tile_store(one, 0, tile_load(one, 8, 8));
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32, %m: i32) {
  %n.1 = cast %n : i64
  %m.1 = cast %m : i64
  %0 = constant {1} : i64
  %1 = sub %n.1, %0 : i64
  %2 = constant {1} : i64
  %3 = constant {0} : i64
  %4 = constant {0.0} : f32
  %block = view_load {rank 2} %X, %n.1, %m.1, %m.1, %2, %1, %3, %4 : f32[4, 8]
  %5 = constant {4} : i64
  %6 = sub %m.1, %5 : i64
  %7 = constant {1} : i64
  %8 = constant {2} : i64
  %9 = constant {-inf} : f32
  %row = view_load {rank 2} %X, %n.1, %m.1, %m.1, %7, %8, %6, %9 : f32[8]
  %10 = trans {1 0} %block : f32[8, 4]
  %11 = constant {1} : i64
  %12 = constant {0} : i64
  view_store {rank 2} %Out, %m.1, %n.1, %11, %m.1, %12, %n.1, %10
  %13 = exp %row : f32[8]
  %14 = constant {1} : i64
  %15 = constant {1} : i64
  %16 = constant {2} : i64
  view_store {rank 2} %Out, %m.1, %n.1, %14, %m.1, %15, %16, %13
  %17 = constant {16} : i64
  %18 = constant {1} : i64
  %19 = constant {8} : i64
  %20 = constant {0.0} : f32
  %21 = view_load {rank 1} %Out, %17, %18, %19, %20 : f32[8]
  %22 = constant {16} : i64
  %23 = constant {1} : i64
  %24 = constant {0} : i64
  view_store {rank 1} %Out, %22, %23, %24, %21
  return
}
