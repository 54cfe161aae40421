// Counted loops: up and down, exclusive and inclusive; the counter is an index.
kernel void k(float *Out, int n, long w, int step)
{
    for (int i = 0; i < n; i++)
        store(Out + i, 0);
    for (long i = 1; i <= w; i += step)
        store(Out + i, 1);
    for (int i = n - 1; i >= 0; i--)
        store(Out + i, 2);
    for (int i = n; i > 0; i -= 2)
        store(Out + i, 3);
    for (int i = n; i > 0; i += -2)
        store(Out + i, 4);
}
---
func @k(%Out: ptr<f32>, %n: i32, %w: i64, %step: i32) {
  %n.1 = cast %n : i64
  %step.1 = cast %step : i64
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  for %i = %0 to %n.1 step %1 {
    %2 = addptr %Out, %i : ptr<f32>
    %3 = constant {0.0} : f32
    store %2, %3
    yield
  }
  %4 = constant {9223372036854775806} : i64
  %5 = minimum %w, %4 : i64
  %6 = constant {1} : i64
  %7 = add %5, %6 : i64
  %8 = constant {1} : i64
  for %i.1 = %8 to %7 step %step.1 {
    %9 = addptr %Out, %i.1 : ptr<f32>
    %10 = constant {1.0} : f32
    store %9, %10
    yield
  }
  %11 = constant {1} : i64
  %12 = sub %n.1, %11 : i64
  %13 = constant {0} : i64
  %14 = sub %12, %13 : i64
  %15 = constant {1} : i64
  %16 = add %14, %15 : i64
  %17 = constant {0} : i64
  %18 = constant {1} : i64
  for %19 = %17 to %16 step %18 {
    %20 = sub %12, %19 : i64
    %21 = addptr %Out, %20 : ptr<f32>
    %22 = constant {2.0} : f32
    store %21, %22
    yield
  }
  %23 = constant {0} : i64
  %24 = sub %n.1, %23 : i64
  %25 = constant {0} : i64
  %26 = constant {2} : i64
  for %27 = %25 to %24 step %26 {
    %28 = sub %n.1, %27 : i64
    %29 = addptr %Out, %28 : ptr<f32>
    %30 = constant {3.0} : f32
    store %29, %30
    yield
  }
  %31 = constant {0} : i64
  %32 = sub %n.1, %31 : i64
  %33 = constant {0} : i64
  %34 = constant {2} : i64
  for %35 = %33 to %32 step %34 {
    %36 = sub %n.1, %35 : i64
    %37 = addptr %Out, %36 : ptr<f32>
    %38 = constant {4.0} : f32
    store %37, %38
    yield
  }
  return
}
