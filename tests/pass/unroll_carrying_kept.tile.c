// args: --only fold,cse,licm,dce,unroll_carrying_loops,fold,cse,dce
// Loops that make one trip at a time: a long body; sums that become scalars; rows, whose reading is all
// that takes time; a branch; a step that is not known.
kernel void k(const float *restrict X, float *restrict Out, int n)
{
    int i = arange(0, 1024);
    float x = load(X + i);
    for (int a = 0; a < n; a++)
        x = sqrt(x + 1) + sqrt(x + 2) + sqrt(x + 3) + sqrt(x + 4) + sqrt(x + 5) + sqrt(x + 6) +
            sqrt(x + 7) + sqrt(x + 8) + sqrt(x + 9) + sqrt(x + 10) + sqrt(x + 11) + sqrt(x + 12);
    float s = zeros(float, 1024);
    for (int a = 0; a < n; a++)
        s += load(X + i + a * 8);
    store(Out, sum(s));
    for (int a = 0; a < n; a++)
        x = maximum(x, load(X + a * 1024 + i));
    for (int a = 0; a < n; a++)
        if (a & 1)
            x = x * x;
    for (int a = 0; a < n; a += n)
        x = x * x;
    store(Out + i, x);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 1024} : i64[1024]
  %0 = broadcast %X : ptr<f32>[1024]
  %1 = addptr %0, %i : ptr<f32>[1024]
  %x = load %1 : f32[1024]
  %2 = constant {0} : i64
  %3 = constant {1} : i64
  %x.1 = for %a = %2 to %n.1 step %3 carry (%x.2 = %x) : f32[1024] {
    %4 = constant {1.0} : f32[1024]
    %5 = add %x.2, %4 : f32[1024]
    %6 = sqrt %5 : f32[1024]
    %7 = constant {2.0} : f32[1024]
    %8 = add %x.2, %7 : f32[1024]
    %9 = sqrt %8 : f32[1024]
    %10 = add %6, %9 : f32[1024]
    %11 = constant {3.0} : f32[1024]
    %12 = add %x.2, %11 : f32[1024]
    %13 = sqrt %12 : f32[1024]
    %14 = add %10, %13 : f32[1024]
    %15 = constant {4.0} : f32[1024]
    %16 = add %x.2, %15 : f32[1024]
    %17 = sqrt %16 : f32[1024]
    %18 = add %14, %17 : f32[1024]
    %19 = constant {5.0} : f32[1024]
    %20 = add %x.2, %19 : f32[1024]
    %21 = sqrt %20 : f32[1024]
    %22 = add %18, %21 : f32[1024]
    %23 = constant {6.0} : f32[1024]
    %24 = add %x.2, %23 : f32[1024]
    %25 = sqrt %24 : f32[1024]
    %26 = add %22, %25 : f32[1024]
    %27 = constant {7.0} : f32[1024]
    %28 = add %x.2, %27 : f32[1024]
    %29 = sqrt %28 : f32[1024]
    %30 = add %26, %29 : f32[1024]
    %31 = constant {8.0} : f32[1024]
    %32 = add %x.2, %31 : f32[1024]
    %33 = sqrt %32 : f32[1024]
    %34 = add %30, %33 : f32[1024]
    %35 = constant {9.0} : f32[1024]
    %36 = add %x.2, %35 : f32[1024]
    %37 = sqrt %36 : f32[1024]
    %38 = add %34, %37 : f32[1024]
    %39 = constant {10.0} : f32[1024]
    %40 = add %x.2, %39 : f32[1024]
    %41 = sqrt %40 : f32[1024]
    %42 = add %38, %41 : f32[1024]
    %43 = constant {11.0} : f32[1024]
    %44 = add %x.2, %43 : f32[1024]
    %45 = sqrt %44 : f32[1024]
    %46 = add %42, %45 : f32[1024]
    %47 = constant {12.0} : f32[1024]
    %48 = add %x.2, %47 : f32[1024]
    %49 = sqrt %48 : f32[1024]
    %x.3 = add %46, %49 : f32[1024]
    yield %x.3
  }
  %s = constant {0.0} : f32[1024]
  %s.1 = for %a.1 = %2 to %n.1 step %3 carry (%s.2 = %s) : f32[1024] {
    %50 = constant {8} : i64
    %51 = mul %a.1, %50 : i64
    %52 = broadcast %51 : i64[1024]
    %53 = addptr %1, %52 : ptr<f32>[1024]
    %54 = load %53 : f32[1024]
    %s.3 = add %s.2, %54 : f32[1024]
    yield %s.3
  }
  %55 = sum {axis -1} %s.1 : f32
  store %Out, %55
  %x.4 = for %a.2 = %2 to %n.1 step %3 carry (%x.5 = %x.1) : f32[1024] {
    %56 = constant {1024} : i64
    %57 = mul %a.2, %56 : i64
    %58 = addptr %X, %57 : ptr<f32>
    %59 = broadcast %58 : ptr<f32>[1024]
    %60 = addptr %59, %i : ptr<f32>[1024]
    %61 = load %60 : f32[1024]
    %x.6 = maximum %x.5, %61 : f32[1024]
    yield %x.6
  }
  %x.7 = for %a.3 = %2 to %n.1 step %3 carry (%x.8 = %x.4) : f32[1024] {
    %62 = cast %a.3 : i32
    %63 = constant {1} : i32
    %64 = and %62, %63 : i32
    %65 = cast %64 : bool
    %x.9 = if %65 : f32[1024] {
      %x.10 = mul %x.8, %x.8 : f32[1024]
      yield %x.10
    } else {
      yield %x.8
    }
    yield %x.9
  }
  %x.11 = for %a.4 = %2 to %n.1 step %n.1 carry (%x.12 = %x.7) : f32[1024] {
    %x.13 = mul %x.12, %x.12 : f32[1024]
    yield %x.13
  }
  %66 = broadcast %Out : ptr<f32>[1024]
  %67 = addptr %66, %i : ptr<f32>[1024]
  store %67, %x.11
  return
}
