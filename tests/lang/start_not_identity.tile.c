// A scalar start that counts once for each element of a sum is warned about; for a max it is not.
kernel void k(const float *X, float *Out, int n)
{
    float s = 1, m = 0;
    for (int i = 0; i < n; i += 4) {
        s += load(X + i + arange(0, 4));
        m = maximum(m, load(X + i + arange(0, 4)));
    }
    store(Out, sum(s) + max(m));
}
---
start_not_identity.tile.c:9:16: warning: 's' starts as a scalar that counts once for each of 4 elements here
    store(Out, sum(s) + max(m));
               ^~~~~~
hint: start it from 0, and add the scalar behind the reduction
start_not_identity.tile.c:4:11: note: 's' gets its scalar value here
    float s = 1, m = 0;
          ^~~~~
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %s = constant {1.0} : f32
  %m = constant {0.0} : f32
  %0 = constant {0} : i64
  %1 = constant {4} : i64
  %2 = broadcast %s : f32[4]
  %3 = broadcast %m : f32[4]
  %s.1, %m.1 = for %i = %0 to %n.1 step %1 carry (%s.2 = %2, %m.2 = %3) : (f32[4], f32[4]) {
    %4 = addptr %X, %i : ptr<f32>
    %5 = arange {0 to 4} : i64[4]
    %6 = broadcast %4 : ptr<f32>[4]
    %7 = addptr %6, %5 : ptr<f32>[4]
    %8 = load %7 : f32[4]
    %s.3 = add %s.2, %8 : f32[4]
    %9 = addptr %X, %i : ptr<f32>
    %10 = arange {0 to 4} : i64[4]
    %11 = broadcast %9 : ptr<f32>[4]
    %12 = addptr %11, %10 : ptr<f32>[4]
    %13 = load %12 : f32[4]
    %m.3 = maximum %m.2, %13 : f32[4]
    yield %s.3, %m.3
  }
  %14 = sum {axis -1} %s.1 : f32
  %15 = max {axis -1} %m.1 : f32
  %16 = add %14, %15 : f32
  store %Out, %16
  return
}
