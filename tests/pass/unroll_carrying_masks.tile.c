// The interior, of which masks are gone, is unrolled, and the last trips are not; nor are sums whose
// loop was split.
kernel void k(const float *restrict X, float *restrict Out, int n)
{
    int i = arange(0, 64);
    float before = zeros(float, 64), now = before, s = 0;
    for (int a = 0; a < n; a += 64) {
        float x = load(X + a + i, a + i < n);
        s += x;
        float next = now * 0.5f + before * x;
        before = now;
        now = next;
    }
    store(Out + i, now);
    float t = 0;
    for (int a = 0; a < n; a += 64)
        t += load(X + a + i, a + i < n);
    store(Out + 64, sum(s + 0) + sum(t));
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 64} : i64[64]
  %before = constant {0.0} : f32[64]
  %0 = constant {0} : i64
  %1 = constant {64} : i64
  %2 = constant {-63} : i64
  %3 = add %n.1, %2 : i64
  %4 = maximum %3, %0 : i64
  %5 = cdiv %4, %1 : i64
  %6 = mul %5, %1 : i64
  %7 = constant {8} : i64
  %8 = constant {1152921504606846976} : i64
  %9 = minimum %6, %8 : i64
  %10 = maximum %9, %0 : i64
  %11 = cdiv %10, %1 : i64
  %12 = div %11, %7 : i64
  %13 = constant {512} : i64
  %14 = mul %12, %13 : i64
  %s, %before.1, %now = for %a = %0 to %14 step %13 carry (%s.1 = %before, %before.2 = %before, %now.1 = %before) : (f32[64], f32[64], f32[64]) {
    %15 = addptr %X, %a : ptr<f32>
    %16 = broadcast %15 : ptr<f32>[64]
    %17 = addptr %16, %i : ptr<f32>[64]
    %x = load %17 : f32[64]
    %s.2 = add %s.1, %x : f32[64]
    %18 = constant {0.5} : f32[64]
    %19 = mul %before.2, %x : f32[64]
    %next = fma %now.1, %18, %19 : f32[64]
    %20 = add %a, %1 : i64
    %21 = addptr %X, %20 : ptr<f32>
    %22 = broadcast %21 : ptr<f32>[64]
    %23 = addptr %22, %i : ptr<f32>[64]
    %x.1 = load %23 : f32[64]
    %s.3 = add %s.2, %x.1 : f32[64]
    %24 = mul %now.1, %x.1 : f32[64]
    %next.1 = fma %next, %18, %24 : f32[64]
    %25 = constant {128} : i64
    %26 = add %a, %25 : i64
    %27 = addptr %X, %26 : ptr<f32>
    %28 = broadcast %27 : ptr<f32>[64]
    %29 = addptr %28, %i : ptr<f32>[64]
    %x.2 = load %29 : f32[64]
    %s.4 = add %s.3, %x.2 : f32[64]
    %30 = mul %next, %x.2 : f32[64]
    %next.2 = fma %next.1, %18, %30 : f32[64]
    %31 = constant {192} : i64
    %32 = add %a, %31 : i64
    %33 = addptr %X, %32 : ptr<f32>
    %34 = broadcast %33 : ptr<f32>[64]
    %35 = addptr %34, %i : ptr<f32>[64]
    %x.3 = load %35 : f32[64]
    %s.5 = add %s.4, %x.3 : f32[64]
    %36 = mul %next.1, %x.3 : f32[64]
    %next.3 = fma %next.2, %18, %36 : f32[64]
    %37 = constant {256} : i64
    %38 = add %a, %37 : i64
    %39 = addptr %X, %38 : ptr<f32>
    %40 = broadcast %39 : ptr<f32>[64]
    %41 = addptr %40, %i : ptr<f32>[64]
    %x.4 = load %41 : f32[64]
    %s.6 = add %s.5, %x.4 : f32[64]
    %42 = mul %next.2, %x.4 : f32[64]
    %next.4 = fma %next.3, %18, %42 : f32[64]
    %43 = constant {320} : i64
    %44 = add %a, %43 : i64
    %45 = addptr %X, %44 : ptr<f32>
    %46 = broadcast %45 : ptr<f32>[64]
    %47 = addptr %46, %i : ptr<f32>[64]
    %x.5 = load %47 : f32[64]
    %s.7 = add %s.6, %x.5 : f32[64]
    %48 = mul %next.3, %x.5 : f32[64]
    %next.5 = fma %next.4, %18, %48 : f32[64]
    %49 = constant {384} : i64
    %50 = add %a, %49 : i64
    %51 = addptr %X, %50 : ptr<f32>
    %52 = broadcast %51 : ptr<f32>[64]
    %53 = addptr %52, %i : ptr<f32>[64]
    %x.6 = load %53 : f32[64]
    %s.8 = add %s.7, %x.6 : f32[64]
    %54 = mul %next.4, %x.6 : f32[64]
    %next.6 = fma %next.5, %18, %54 : f32[64]
    %55 = constant {448} : i64
    %56 = add %a, %55 : i64
    %57 = addptr %X, %56 : ptr<f32>
    %58 = broadcast %57 : ptr<f32>[64]
    %59 = addptr %58, %i : ptr<f32>[64]
    %x.7 = load %59 : f32[64]
    %s.9 = add %s.8, %x.7 : f32[64]
    %60 = mul %next.5, %x.7 : f32[64]
    %next.7 = fma %next.6, %18, %60 : f32[64]
    yield %s.9, %next.6, %next.7
  }
  %s.10, %before.3, %now.2 = for %a.1 = %14 to %6 step %1 carry (%s.11 = %s, %before.4 = %before.1, %now.3 = %now) : (f32[64], f32[64], f32[64]) {
    %61 = addptr %X, %a.1 : ptr<f32>
    %62 = broadcast %61 : ptr<f32>[64]
    %63 = addptr %62, %i : ptr<f32>[64]
    %x.8 = load %63 : f32[64]
    %s.12 = add %s.11, %x.8 : f32[64]
    %64 = constant {0.5} : f32[64]
    %65 = mul %before.4, %x.8 : f32[64]
    %next.8 = fma %now.3, %64, %65 : f32[64]
    yield %s.12, %now.3, %next.8
  }
  %s.13, %before.5, %now.4 = for %a.2 = %6 to %n.1 step %1 carry (%s.14 = %s.10, %before.6 = %before.3, %now.5 = %now.2) : (f32[64], f32[64], f32[64]) {
    %66 = addptr %X, %a.2 : ptr<f32>
    %67 = broadcast %66 : ptr<f32>[64]
    %68 = addptr %67, %i : ptr<f32>[64]
    %69 = broadcast %a.2 : i64[64]
    %70 = add %69, %i : i64[64]
    %71 = broadcast %n.1 : i64[64]
    %72 = lt %70, %71 : bool[64]
    %x.9 = load %68, %72, %before : f32[64]
    %s.15 = add %s.14, %x.9 : f32[64]
    %73 = constant {0.5} : f32[64]
    %74 = mul %before.6, %x.9 : f32[64]
    %next.9 = fma %now.5, %73, %74 : f32[64]
    yield %s.15, %now.5, %next.9
  }
  %75 = broadcast %Out : ptr<f32>[64]
  %76 = addptr %75, %i : ptr<f32>[64]
  store %76, %now.4
  %t = for %a.3 = %0 to %6 step %1 carry (%t.1 = %before) : f32[64] {
    %77 = addptr %X, %a.3 : ptr<f32>
    %78 = broadcast %77 : ptr<f32>[64]
    %79 = addptr %78, %i : ptr<f32>[64]
    %80 = load %79 : f32[64]
    %t.2 = add %t.1, %80 : f32[64]
    yield %t.2
  }
  %t.3 = for %a.4 = %6 to %n.1 step %1 carry (%t.4 = %t) : f32[64] {
    %81 = addptr %X, %a.4 : ptr<f32>
    %82 = broadcast %81 : ptr<f32>[64]
    %83 = addptr %82, %i : ptr<f32>[64]
    %84 = broadcast %a.4 : i64[64]
    %85 = add %84, %i : i64[64]
    %86 = broadcast %n.1 : i64[64]
    %87 = lt %85, %86 : bool[64]
    %88 = load %83, %87, %before : f32[64]
    %t.5 = add %t.4, %88 : f32[64]
    yield %t.5
  }
  %89 = addptr %Out, %1 : ptr<f32>
  %90 = add %s.13, %before : f32[64]
  %91 = sum {axis -1} %90 : f32
  %92 = sum {axis -1} %t.3 : f32
  %93 = add %91, %92 : f32
  store %89, %93
  return
}
