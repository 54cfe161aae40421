// args: --only fold,cse,licm,dce,halve_pairs,fold,cse,dce
// Rows of pairs: masks and addresses have the axis, or not. What is joined is computed on behind the join.
kernel void rows(const half *restrict X, half *restrict Out, int n, int m)
{
    int r = expand_dims(arange(0, 4), 1, 2), i = expand_dims(arange(0, 32), 0, 2);
    int k = expand_dims(arange(0, 2), 0, 1);
    float x = load(X + r * m + 2 * i + k, r < n);
    store(Out + r * m + 2 * i + k, 2 * join(split(x, 1), split(x, 0) + 1), r < n && 2 * i + k < m);
}
---
func @rows(%X: const restrict ptr<f16>, %Out: restrict ptr<f16>, %n: i32, %m: i32) {
  %n.1 = cast %n : i64
  %m.1 = cast %m : i64
  %0 = arange {0 to 4} : i64[4]
  %r = reshape %0 : i64[4, 1, 1]
  %1 = arange {0 to 32} : i64[32]
  %i = reshape %1 : i64[1, 32, 1]
  %2 = broadcast %m.1 : i64[4, 1, 1]
  %3 = mul %r, %2 : i64[4, 1, 1]
  %4 = broadcast %X : ptr<f16>[4, 1, 1]
  %5 = addptr %4, %3 : ptr<f16>[4, 1, 1]
  %6 = constant {2} : i64[1, 32, 1]
  %7 = mul %i, %6 : i64[1, 32, 1]
  %8 = broadcast %5 : ptr<f16>[4, 32, 1]
  %9 = broadcast %7 : i64[4, 32, 1]
  %10 = addptr %8, %9 : ptr<f16>[4, 32, 1]
  %11 = reshape %10 : ptr<f16>[4, 32]
  %12 = constant {1} : i64[4, 32]
  %13 = addptr %11, %12 : ptr<f16>[4, 32]
  %14 = broadcast %n.1 : i64[4, 1, 1]
  %15 = lt %r, %14 : bool[4, 1, 1]
  %16 = reshape %15 : bool[4, 1]
  %17 = broadcast %16 : bool[4, 32]
  %18 = constant {0.0} : f16[4, 32]
  %19 = load %11, %17, %18 : f16[4, 32]
  %20 = load %13, %17, %18 : f16[4, 32]
  %21 = cast %19 : f32[4, 32]
  %22 = cast %20 : f32[4, 32]
  %23 = broadcast %Out : ptr<f16>[4, 1, 1]
  %24 = addptr %23, %3 : ptr<f16>[4, 1, 1]
  %25 = broadcast %24 : ptr<f16>[4, 32, 1]
  %26 = addptr %25, %9 : ptr<f16>[4, 32, 1]
  %27 = reshape %26 : ptr<f16>[4, 32]
  %28 = addptr %27, %12 : ptr<f16>[4, 32]
  %29 = constant {1.0} : f32[4, 32]
  %30 = add %21, %29 : f32[4, 32]
  %31 = constant {2.0} : f32[4, 32]
  %32 = mul %22, %31 : f32[4, 32]
  %33 = mul %30, %31 : f32[4, 32]
  %34 = reshape %7 : i64[1, 32]
  %35 = constant {1} : i64[1, 32]
  %36 = add %34, %35 : i64[1, 32]
  %37 = broadcast %m.1 : i64[1, 32]
  %38 = lt %34, %37 : bool[1, 32]
  %39 = lt %36, %37 : bool[1, 32]
  %40 = broadcast %38 : bool[4, 32]
  %41 = broadcast %39 : bool[4, 32]
  %42 = and %17, %40 : bool[4, 32]
  %43 = and %17, %41 : bool[4, 32]
  %44 = cast %32 : f16[4, 32]
  %45 = cast %33 : f16[4, 32]
  store %27, %44, %42
  store %28, %45, %43
  return
}
