// A return on a uniform condition guards the rest of the kernel.
kernel void k(float *Out, int n)
{
    int i = program_id(0);
    if (i >= n)
        return;
    store(Out + i, 1);
    if (i == 0) {
        store(Out, 2);
        return;
    }
    store(Out + i, 3);
}
---
func @k(%Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = program_id {axis 0} : i64
  %0 = ge %i, %n.1 : bool
  %1 = not %0 : bool
  %2 = if %1 : bool {
    %3 = addptr %Out, %i : ptr<f32>
    %4 = constant {1.0} : f32
    store %3, %4
    %5 = constant {0} : i64
    %6 = eq %i, %5 : bool
    if %6 {
      %7 = constant {2.0} : f32
      store %Out, %7
      yield
    } else {
      yield
    }
    %8 = not %6 : bool
    if %8 {
      %9 = addptr %Out, %i : ptr<f32>
      %10 = constant {3.0} : f32
      store %9, %10
      yield
    } else {
      yield
    }
    yield %6
  } else {
    yield %0
  }
  return
}
