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
  %7 = constant {4} : i64
  %8 = constant {1152921504606846976} : i64
  %9 = minimum %6, %8 : i64
  %10 = maximum %9, %0 : i64
  %11 = cdiv %10, %1 : i64
  %12 = div %11, %7 : i64
  %13 = constant {256} : i64
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
    yield %s.5, %next.2, %next.3
  }
  %s.6, %before.3, %now.2 = for %a.1 = %14 to %6 step %1 carry (%s.7 = %s, %before.4 = %before.1, %now.3 = %now) : (f32[64], f32[64], f32[64]) {
    %37 = addptr %X, %a.1 : ptr<f32>
    %38 = broadcast %37 : ptr<f32>[64]
    %39 = addptr %38, %i : ptr<f32>[64]
    %x.4 = load %39 : f32[64]
    %s.8 = add %s.7, %x.4 : f32[64]
    %40 = constant {0.5} : f32[64]
    %41 = mul %before.4, %x.4 : f32[64]
    %next.4 = fma %now.3, %40, %41 : f32[64]
    yield %s.8, %now.3, %next.4
  }
  %s.9, %before.5, %now.4 = for %a.2 = %6 to %n.1 step %1 carry (%s.10 = %s.6, %before.6 = %before.3, %now.5 = %now.2) : (f32[64], f32[64], f32[64]) {
    %42 = addptr %X, %a.2 : ptr<f32>
    %43 = broadcast %42 : ptr<f32>[64]
    %44 = addptr %43, %i : ptr<f32>[64]
    %45 = broadcast %a.2 : i64[64]
    %46 = add %45, %i : i64[64]
    %47 = broadcast %n.1 : i64[64]
    %48 = lt %46, %47 : bool[64]
    %x.5 = load %44, %48, %before : f32[64]
    %s.11 = add %s.10, %x.5 : f32[64]
    %49 = constant {0.5} : f32[64]
    %50 = mul %before.6, %x.5 : f32[64]
    %next.5 = fma %now.5, %49, %50 : f32[64]
    yield %s.11, %now.5, %next.5
  }
  %51 = broadcast %Out : ptr<f32>[64]
  %52 = addptr %51, %i : ptr<f32>[64]
  store %52, %now.4
  %t = for %a.3 = %0 to %6 step %1 carry (%t.1 = %before) : f32[64] {
    %53 = addptr %X, %a.3 : ptr<f32>
    %54 = broadcast %53 : ptr<f32>[64]
    %55 = addptr %54, %i : ptr<f32>[64]
    %56 = load %55 : f32[64]
    %t.2 = add %t.1, %56 : f32[64]
    yield %t.2
  }
  %t.3 = for %a.4 = %6 to %n.1 step %1 carry (%t.4 = %t) : f32[64] {
    %57 = addptr %X, %a.4 : ptr<f32>
    %58 = broadcast %57 : ptr<f32>[64]
    %59 = addptr %58, %i : ptr<f32>[64]
    %60 = broadcast %a.4 : i64[64]
    %61 = add %60, %i : i64[64]
    %62 = broadcast %n.1 : i64[64]
    %63 = lt %61, %62 : bool[64]
    %64 = load %59, %63, %before : f32[64]
    %t.5 = add %t.4, %64 : f32[64]
    yield %t.5
  }
  %65 = addptr %Out, %1 : ptr<f32>
  %66 = add %s.9, %before : f32[64]
  %67 = sum {axis -1} %66 : f32
  %68 = sum {axis -1} %t.3 : f32
  %69 = add %67, %68 : f32
  store %65, %69
  return
}
