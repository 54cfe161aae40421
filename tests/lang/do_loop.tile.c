// do runs its body before it asks; what the body sets has a value behind the loop.
kernel void k(float *Out, int n)
{
    int last;
    do {
        last = n;
        n -= 3;
        if (n == 5)
            continue;
        store(Out + n, 1);
    } while (n > 0);
    store(Out, last);
    do {
        if (n == 2)
            break;
        n++;
    } while (Out[n] > 0);
    do
        store(Out + 1, n);
    while (0);
}
---
func @k(%Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {true} : bool
  %1 = constant {0} : i64
  %2, %last, %n.2 = while carry (%3 = %0, %last.1 = %1, %n.3 = %n.1) : (bool, i64, i64) {
    condition %3, %3, %last.1, %n.3
  } do (%4, %last.2, %n.4) {
    %5 = constant {3} : i64
    %n.5 = sub %n.4, %5 : i64
    %6 = constant {5} : i64
    %7 = eq %n.5, %6 : bool
    %8 = not %7 : bool
    if %8 {
      %9 = addptr %Out, %n.5 : ptr<f32>
      %10 = constant {1.0} : f32
      store %9, %10
      yield
    } else {
      yield
    }
    %11 = constant {0} : i64
    %12 = gt %n.5, %11 : bool
    yield %12, %n.4, %n.5
  }
  %13 = cast %last : f32
  store %Out, %13
  %14 = constant {true} : bool
  %15 = constant {false} : bool
  %16, %n.6, %17 = while carry (%18 = %14, %n.7 = %n.2, %19 = %15) : (bool, i64, bool) {
    condition %18, %18, %n.7, %19
  } do (%20, %n.8, %21) {
    %22 = constant {2} : i64
    %23 = eq %n.8, %22 : bool
    %24 = if %23 : bool {
      %25 = constant {true} : bool
      yield %25
    } else {
      yield %21
    }
    %26 = not %24 : bool
    %n.9 = if %26 : i64 {
      %27 = constant {1} : i64
      %n.10 = add %n.8, %27 : i64
      yield %n.10
    } else {
      yield %n.8
    }
    %28 = not %24 : bool
    %29 = if %28 : bool {
      %30 = addptr %Out, %n.9 : ptr<f32>
      %31 = load %30 : f32
      %32 = constant {0.0} : f32
      %33 = gt %31, %32 : bool
      yield %33
    } else {
      %34 = constant {false} : bool
      yield %34
    }
    yield %29, %n.9, %24
  }
  %35 = constant {1} : i64
  %36 = addptr %Out, %35 : ptr<f32>
  %37 = cast %n.6 : f32
  store %36, %37
  return
}
