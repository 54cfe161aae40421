// Other spellings of loops that count: still `for`.
kernel void k(float *Out, int n)
{
    int i;
    for (i = 0; i < n; i++)
        store(Out + i, 0);
    store(Out, i); // the greater of 0 and n
    for (i = n; i > 2; i -= 3)
        store(Out + i, 1);
    store(Out, i);
    for (int k = 0; k != n; k++)
        store(Out + k, 2);
    for (int k = 0, m = n / 2; k < m; k++)
        store(Out + k, 3);
    int at = 0;
    for (int k = 0; k < n; k++, at += 5)
        store(Out + at, k);
    for (; i < n; ++i)
        store(Out + i, 4);
}
---
func @k(%Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = constant {0} : i32
  %0 = cast %i : i64
  %1 = constant {1} : i64
  for %i.1 = %0 to %n.1 step %1 {
    %2 = addptr %Out, %i.1 : ptr<f32>
    %3 = constant {0.0} : f32
    store %2, %3
    yield
  }
  %4 = maximum %0, %n.1 : i64
  %5 = cast %4 : f32
  store %Out, %5
  %6 = constant {2} : i64
  %7 = sub %n.1, %6 : i64
  %8 = constant {0} : i64
  %9 = constant {3} : i64
  for %10 = %8 to %7 step %9 {
    %11 = sub %n.1, %10 : i64
    %12 = addptr %Out, %11 : ptr<f32>
    %13 = constant {1.0} : f32
    store %12, %13
    yield
  }
  %14 = constant {0} : i64
  %15 = sub %7, %14 : i64
  %16 = constant {2} : i64
  %17 = add %15, %16 : i64
  %18 = constant {0} : i64
  %19 = maximum %17, %18 : i64
  %20 = constant {3} : i64
  %21 = div %19, %20 : i64
  %22 = constant {3} : i64
  %23 = mul %21, %22 : i64
  %24 = constant {0} : i64
  %25 = add %24, %23 : i64
  %26 = sub %n.1, %25 : i64
  %27 = cast %26 : f32
  store %Out, %27
  %28 = constant {0} : i64
  %29 = constant {1} : i64
  for %k = %28 to %n.1 step %29 {
    %30 = addptr %Out, %k : ptr<f32>
    %31 = constant {2.0} : f32
    store %30, %31
    yield
  }
  %k.1 = constant {0} : i32
  %32 = constant {2} : i64
  %m = div %n.1, %32 : i64
  %33 = cast %k.1 : i64
  %34 = constant {1} : i64
  for %k.2 = %33 to %m step %34 {
    %35 = addptr %Out, %k.2 : ptr<f32>
    %36 = constant {3.0} : f32
    store %35, %36
    yield
  }
  %at = constant {0} : i32
  %37 = constant {0} : i64
  %38 = constant {1} : i64
  %at.1 = for %k.3 = %37 to %n.1 step %38 carry (%at.2 = %at) : i32 {
    %39 = cast %at.2 : i64
    %40 = addptr %Out, %39 : ptr<f32>
    %41 = cast %k.3 : f32
    store %40, %41
    %42 = constant {5} : i32
    %at.3 = add %at.2, %42 : i32
    yield %at.3
  }
  %43 = constant {1} : i64
  for %i.2 = %26 to %n.1 step %43 {
    %44 = addptr %Out, %i.2 : ptr<f32>
    %45 = constant {4.0} : f32
    store %44, %45
    yield
  }
  %46 = maximum %26, %n.1 : i64
  return
}
