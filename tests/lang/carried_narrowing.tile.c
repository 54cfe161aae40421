// A float that is cut to a carried int in each turn is warned about.
kernel void k(const float *X, int *Out, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += X[i];
    store(Out, s);
}
---
carried_narrowing.tile.c:6:9: warning: 's', of type 'int', is carried around a loop and is assigned 'float'
        s += X[i];
        ^~~~~~~~~
hint: the fraction is lost in each turn; declare 's' with a floating type, or cast
func @k(%X: const ptr<f32>, %Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %s = constant {0} : i32
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  %s.1 = for %i = %0 to %n.1 step %1 carry (%s.2 = %s) : i32 {
    %2 = addptr %X, %i : ptr<f32>
    %3 = load %2 : f32
    %4 = cast %s.2 : f32
    %5 = add %4, %3 : f32
    %s.3 = cast %5 : i32
    yield %s.3
  }
  store %Out, %s.1
  return
}
