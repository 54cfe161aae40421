// Address arithmetic, pointer variables, carried pointers, scalar loads.
// args: -D B=4
kernel void k(const float *__restrict__ X, float *__restrict Out, int n, constexpr int B)
{
    const float *p = X + program_id(0) * n;
    float *q = Out + arange(0, B);
    for (int i = 0; i < n; i += B) {
        store(q, load(p + arange(0, B)) + *p + p[1]);
        p += B;
        q = q + B;
    }
    store(q - 1, *(X + n));
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = program_id {axis 0} : i64
  %1 = mul %0, %n.1 : i64
  %p = addptr %X, %1 : ptr<f32>
  %2 = arange {0 to 4} : i64[4]
  %3 = broadcast %Out : ptr<f32>[4]
  %q = addptr %3, %2 : ptr<f32>[4]
  %4 = constant {0} : i64
  %5 = constant {4} : i64
  %p.1, %q.1 = for %i = %4 to %n.1 step %5 carry (%p.2 = %p, %q.2 = %q) : (ptr<f32>, ptr<f32>[4]) {
    %6 = arange {0 to 4} : i64[4]
    %7 = broadcast %p.2 : ptr<f32>[4]
    %8 = addptr %7, %6 : ptr<f32>[4]
    %9 = load %8 : f32[4]
    %10 = load %p.2 : f32
    %11 = broadcast %10 : f32[4]
    %12 = add %9, %11 : f32[4]
    %13 = constant {1} : i64
    %14 = addptr %p.2, %13 : ptr<f32>
    %15 = load %14 : f32
    %16 = broadcast %15 : f32[4]
    %17 = add %12, %16 : f32[4]
    store %q.2, %17
    %18 = constant {4} : i64
    %p.3 = addptr %p.2, %18 : ptr<f32>
    %19 = constant {4} : i64[4]
    %q.3 = addptr %q.2, %19 : ptr<f32>[4]
    yield %p.3, %q.3
  }
  %20 = constant {-1} : i64[4]
  %21 = addptr %q.1, %20 : ptr<f32>[4]
  %22 = addptr %X, %n.1 : ptr<f32>
  %23 = load %22 : f32
  %24 = broadcast %23 : f32[4]
  store %21, %24
  return
}
