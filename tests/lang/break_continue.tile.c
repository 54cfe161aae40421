// break makes a while of a for loop; continue guards the rest.
kernel void k(const float *X, float *Out, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        float x = X[i];
        if (x < 0)
            continue;
        if (x > 100)
            break;
        s += x;
    }
    store(Out, s);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %s = constant {0.0} : f32
  %0 = constant {0} : i64
  %1 = constant {false} : bool
  %2, %s.1, %3 = while carry (%4 = %0, %s.2 = %s, %5 = %1) : (i64, f32, bool) {
    %6 = not %5 : bool
    %7 = lt %4, %n.1 : bool
    %8 = and %6, %7 : bool
    condition %8, %4, %s.2, %5
  } do (%9, %s.3, %10) {
    %11 = addptr %X, %9 : ptr<f32>
    %x = load %11 : f32
    %12 = not %10 : bool
    %s.4, %13, %14 = if %12 : (f32, bool, bool) {
      %15 = constant {0.0} : f32
      %16 = lt %x, %15 : bool
      %17 = not %16 : bool
      %s.5, %18 = if %17 : (f32, bool) {
        %19 = constant {100.0} : f32
        %20 = gt %x, %19 : bool
        %21 = not %20 : bool
        %s.6 = if %21 : f32 {
          %s.7 = add %s.3, %x : f32
          yield %s.7
        } else {
          yield %s.3
        }
        yield %s.6, %20
      } else {
        %22 = constant {false} : bool
        yield %s.3, %22
      }
      yield %s.5, %18, %16
    } else {
      %23 = constant {false} : bool
      yield %s.3, %10, %23
    }
    %24 = constant {1} : i64
    %25 = add %9, %24 : i64
    yield %25, %s.4, %13
  }
  store %Out, %s.1
  return
}
