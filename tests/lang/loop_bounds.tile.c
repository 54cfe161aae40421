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
  %4 = constant {1} : i64
  %5 = maximum %step.1, %4 : i64
  %6 = constant {1} : i64
  %7 = minimum %step.1, %6 : i64
  %8 = constant {1} : i64
  %9 = ge %w, %8 : bool
  %10 = cast %w : u64
  %11 = constant {1} : u64
  %12 = sub %10, %11 : u64
  %13 = cast %5 : u64
  %14 = div %12, %13 : u64
  %15 = constant {9223372036854775806} : u64
  %16 = minimum %14, %15 : u64
  %17 = constant {1} : u64
  %18 = add %16, %17 : u64
  %19 = cast %18 : i64
  %20 = constant {0} : i64
  %21 = select %9, %19, %20 : i64
  %22 = constant {0} : i64
  for %23 = %22 to %21 step %7 {
    %24 = mul %23, %5 : i64
    %25 = constant {1} : i64
    %26 = add %25, %24 : i64
    %27 = addptr %Out, %26 : ptr<f32>
    %28 = constant {1.0} : f32
    store %27, %28
    yield
  }
  %29 = constant {1} : i64
  %30 = sub %n.1, %29 : i64
  %31 = constant {0} : i64
  %32 = sub %30, %31 : i64
  %33 = constant {1} : i64
  %34 = add %32, %33 : i64
  %35 = constant {0} : i64
  %36 = constant {1} : i64
  for %37 = %35 to %34 step %36 {
    %38 = sub %30, %37 : i64
    %39 = addptr %Out, %38 : ptr<f32>
    %40 = constant {2.0} : f32
    store %39, %40
    yield
  }
  %41 = constant {0} : i64
  %42 = sub %n.1, %41 : i64
  %43 = constant {0} : i64
  %44 = constant {2} : i64
  for %45 = %43 to %42 step %44 {
    %46 = sub %n.1, %45 : i64
    %47 = addptr %Out, %46 : ptr<f32>
    %48 = constant {3.0} : f32
    store %47, %48
    yield
  }
  %49 = constant {0} : i64
  %50 = sub %n.1, %49 : i64
  %51 = constant {0} : i64
  %52 = constant {2} : i64
  for %53 = %51 to %50 step %52 {
    %54 = sub %n.1, %53 : i64
    %55 = addptr %Out, %54 : ptr<f32>
    %56 = constant {4.0} : f32
    store %55, %56
    yield
  }
  return
}
