// An inferred integer that is assigned a float was hardly meant; nor was a mask for 'other'.
kernel void k(const float *X, const bool *B, float *Out, int n)
{
    auto s = 0;
    if (n > 3)
        s = X[0];
    int t = 0;
    t = X[1];
    auto f = 1.0f;
    f = 2;
    int i = arange(0, 4);
    float a = load(X + i, i < n, i > 2);
    float b = load(X + i, i < n, (float)(i > 2));
    bool c = load(B + i, i < n, i > 2);
    store(Out + i, a + b + c + f + s + t);
}
---
assigned_kinds.tile.c:6:9: warning: 's' starts as 'int', and what it is assigned is 'float'
        s = X[0];
        ^~~~~~~~
hint: declare 's' with the type that it should have
assigned_kinds.tile.c:4:10: note: 's' starts as 'int' here
    auto s = 0;
         ^
assigned_kinds.tile.c:12:34: warning: 'other' of 'load' is a condition
    float a = load(X + i, i < n, i > 2);
                                 ^~~~~
hint: '&&' joins masks; a cast says that 0 and 1 are meant
func @k(%X: const ptr<f32>, %B: const ptr<bool>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %s = constant {0} : i32
  %0 = constant {3} : i64
  %1 = gt %n.1, %0 : bool
  %s.1 = if %1 : i32 {
    %2 = constant {0} : i64
    %3 = addptr %X, %2 : ptr<f32>
    %4 = load %3 : f32
    %s.2 = cast %4 : i32
    yield %s.2
  } else {
    yield %s
  }
  %t = constant {0} : i32
  %5 = constant {1} : i64
  %6 = addptr %X, %5 : ptr<f32>
  %7 = load %6 : f32
  %t.1 = cast %7 : i32
  %f = constant {1.0} : f32
  %f.1 = constant {2.0} : f32
  %i = arange {0 to 4} : i64[4]
  %8 = broadcast %X : ptr<f32>[4]
  %9 = addptr %8, %i : ptr<f32>[4]
  %10 = broadcast %n.1 : i64[4]
  %11 = lt %i, %10 : bool[4]
  %12 = constant {2} : i64[4]
  %13 = gt %i, %12 : bool[4]
  %14 = cast %13 : f32[4]
  %a = load %9, %11, %14 : f32[4]
  %15 = broadcast %X : ptr<f32>[4]
  %16 = addptr %15, %i : ptr<f32>[4]
  %17 = broadcast %n.1 : i64[4]
  %18 = lt %i, %17 : bool[4]
  %19 = constant {2} : i64[4]
  %20 = gt %i, %19 : bool[4]
  %21 = cast %20 : f32[4]
  %b = load %16, %18, %21 : f32[4]
  %22 = broadcast %B : ptr<bool>[4]
  %23 = addptr %22, %i : ptr<bool>[4]
  %24 = broadcast %n.1 : i64[4]
  %25 = lt %i, %24 : bool[4]
  %26 = constant {2} : i64[4]
  %27 = gt %i, %26 : bool[4]
  %c = load %23, %25, %27 : bool[4]
  %28 = broadcast %Out : ptr<f32>[4]
  %29 = addptr %28, %i : ptr<f32>[4]
  %30 = add %a, %b : f32[4]
  %31 = cast %c : f32[4]
  %32 = add %30, %31 : f32[4]
  %33 = broadcast %f.1 : f32[4]
  %34 = add %32, %33 : f32[4]
  %35 = cast %s.1 : f32
  %36 = broadcast %35 : f32[4]
  %37 = add %34, %36 : f32[4]
  %38 = cast %t.1 : f32
  %39 = broadcast %38 : f32[4]
  %40 = add %37, %39 : f32[4]
  store %29, %40
  return
}
