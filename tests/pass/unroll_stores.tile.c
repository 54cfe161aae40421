// args: --only fold,cse,licm,dce,unroll_carrying_loops,fold,cse,dce
// A filter that stores in each trip: two trips at a time, as nothing that it reads is written. The second may read
// what it wrote, and stays.
kernel void apart(const float *restrict X, float *restrict Out, int n)
{
    int c = arange(0, 64);
    float s = zeros(float, 64);
    for (int t = 0; t < n; t++) {
        float x = load(X + t * n + c), y = x + s;
        s = sqrt(sqrt(x - y)) * 0.5f + sqrt(sqrt(y * y + s));
        s = sqrt(sqrt(s) + 1.0f) * sqrt(x);
        store(Out + t * n + c, y);
    }
}
kernel void together(float *X, int n)
{
    int c = arange(0, 64);
    float s = zeros(float, 64);
    for (int t = 1; t < n; t++) {
        s = load(X + t * n + c) + 0.5f * s;
        store(X + (t - 1) * n + c, s);
    }
}
---
func @apart(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %c = arange {0 to 64} : i64[64]
  %s = constant {0.0} : f32[64]
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  %2 = constant {2} : i64
  %3 = maximum %n.1, %0 : i64
  %4 = div %3, %2 : i64
  %5 = mul %4, %2 : i64
  %s.1 = for %t = %0 to %5 step %2 carry (%s.2 = %s) : f32[64] {
    %6 = mul %t, %n.1 : i64
    %7 = addptr %X, %6 : ptr<f32>
    %8 = broadcast %7 : ptr<f32>[64]
    %9 = addptr %8, %c : ptr<f32>[64]
    %x = load %9 : f32[64]
    %y = add %x, %s.2 : f32[64]
    %10 = sub %x, %y : f32[64]
    %11 = sqrt %10 : f32[64]
    %12 = sqrt %11 : f32[64]
    %13 = constant {0.5} : f32[64]
    %14 = fma %y, %y, %s.2 : f32[64]
    %15 = sqrt %14 : f32[64]
    %16 = sqrt %15 : f32[64]
    %s.3 = fma %12, %13, %16 : f32[64]
    %17 = sqrt %s.3 : f32[64]
    %18 = constant {1.0} : f32[64]
    %19 = add %17, %18 : f32[64]
    %20 = sqrt %19 : f32[64]
    %21 = sqrt %x : f32[64]
    %s.4 = mul %20, %21 : f32[64]
    %22 = addptr %Out, %6 : ptr<f32>
    %23 = broadcast %22 : ptr<f32>[64]
    %24 = addptr %23, %c : ptr<f32>[64]
    store %24, %y
    %25 = add %t, %1 : i64
    %26 = mul %25, %n.1 : i64
    %27 = addptr %X, %26 : ptr<f32>
    %28 = broadcast %27 : ptr<f32>[64]
    %29 = addptr %28, %c : ptr<f32>[64]
    %x.1 = load %29 : f32[64]
    %y.1 = add %x.1, %s.4 : f32[64]
    %30 = sub %x.1, %y.1 : f32[64]
    %31 = sqrt %30 : f32[64]
    %32 = sqrt %31 : f32[64]
    %33 = fma %y.1, %y.1, %s.4 : f32[64]
    %34 = sqrt %33 : f32[64]
    %35 = sqrt %34 : f32[64]
    %s.5 = fma %32, %13, %35 : f32[64]
    %36 = sqrt %s.5 : f32[64]
    %37 = add %36, %18 : f32[64]
    %38 = sqrt %37 : f32[64]
    %39 = sqrt %x.1 : f32[64]
    %s.6 = mul %38, %39 : f32[64]
    %40 = addptr %Out, %26 : ptr<f32>
    %41 = broadcast %40 : ptr<f32>[64]
    %42 = addptr %41, %c : ptr<f32>[64]
    store %42, %y.1
    yield %s.6
  }
  %s.7 = for %t.1 = %5 to %n.1 step %1 carry (%s.8 = %s.1) : f32[64] {
    %43 = mul %t.1, %n.1 : i64
    %44 = addptr %X, %43 : ptr<f32>
    %45 = broadcast %44 : ptr<f32>[64]
    %46 = addptr %45, %c : ptr<f32>[64]
    %x.2 = load %46 : f32[64]
    %y.2 = add %x.2, %s.8 : f32[64]
    %47 = sub %x.2, %y.2 : f32[64]
    %48 = sqrt %47 : f32[64]
    %49 = sqrt %48 : f32[64]
    %50 = constant {0.5} : f32[64]
    %51 = fma %y.2, %y.2, %s.8 : f32[64]
    %52 = sqrt %51 : f32[64]
    %53 = sqrt %52 : f32[64]
    %s.9 = fma %49, %50, %53 : f32[64]
    %54 = sqrt %s.9 : f32[64]
    %55 = constant {1.0} : f32[64]
    %56 = add %54, %55 : f32[64]
    %57 = sqrt %56 : f32[64]
    %58 = sqrt %x.2 : f32[64]
    %s.10 = mul %57, %58 : f32[64]
    %59 = addptr %Out, %43 : ptr<f32>
    %60 = broadcast %59 : ptr<f32>[64]
    %61 = addptr %60, %c : ptr<f32>[64]
    store %61, %y.2
    yield %s.10
  }
  return
}
