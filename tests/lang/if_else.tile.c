// Branches unify: a scalar with a tile, an int with an index; a variable set on both sides.
kernel void k(const float *X, const int *P, float *Out, int n)
{
    float x = 0, y;
    int i = P[0];
    if (n > 4) {
        x = load(X + arange(0, 4));
        y = 1;
        i = n;
    } else if (n > 2) {
        y = 2;
    } else {
        y = 3;
    }
    store(Out + i + arange(0, 4), x + y);
}
---
func @k(%X: const ptr<f32>, %P: const ptr<i32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %x = constant {0.0} : f32
  %0 = constant {0} : i64
  %1 = addptr %P, %0 : ptr<i32>
  %i = load %1 : i32
  %2 = constant {4} : i64
  %3 = gt %n.1, %2 : bool
  %x.1, %y, %i.1 = if %3 : (f32[4], f32, i64) {
    %4 = arange {0 to 4} : i64[4]
    %5 = broadcast %X : ptr<f32>[4]
    %6 = addptr %5, %4 : ptr<f32>[4]
    %x.2 = load %6 : f32[4]
    %y.1 = constant {1.0} : f32
    yield %x.2, %y.1, %n.1
  } else {
    %7 = constant {2} : i64
    %8 = gt %n.1, %7 : bool
    %y.2 = if %8 : f32 {
      %y.3 = constant {2.0} : f32
      yield %y.3
    } else {
      %y.4 = constant {3.0} : f32
      yield %y.4
    }
    %9 = broadcast %x : f32[4]
    %10 = cast %i : i64
    yield %9, %y.2, %10
  }
  %11 = addptr %Out, %i.1 : ptr<f32>
  %12 = arange {0 to 4} : i64[4]
  %13 = broadcast %11 : ptr<f32>[4]
  %14 = addptr %13, %12 : ptr<f32>[4]
  %15 = broadcast %y : f32[4]
  %16 = add %x.1, %15 : f32[4]
  store %14, %16
  return
}
