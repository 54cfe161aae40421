// args: --only fold,cse,licm,dce,unroll_short_loops,fold,cse,dce
// Loops that stay: what they carry is reduced, moved or read in another place; it is a sum that
// becomes a scalar; there are loads and stores, an atomic op, an assert, a loop that stays, a branch
// that is not known; there are too many trips, or how many is not known; nothing is a tile.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 8);
    float x = load(X + i);
    for (int a = 0; a < 3; a++)
        x = x / sum(x);
    for (int a = 0; a < 3; a++)
        x = gather(x, i ^ a);
    for (int a = 0; a < 3; a++)
        x = x * sum(expand_dims(x, 0) * expand_dims(x, 1), axis(1));
    float s = zeros(float, 8);
    for (int a = 0; a < 3; a++)
        s += load(X + i + a * 8);
    store(Out, sum(s));
    for (int a = 0; a < 3; a++) {
        x += load(Out + i);
        store(Out + i, x);
    }
    for (int a = 0; a < 3; a++)
        x += atomic_add(Out + i, x);
    for (int a = 0; a < 3; a++) {
        tile_assert(x < 100, "small");
        x = x * x;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < n; b++)
            x = x * 3;
        x = x + 1;
    }
    for (int a = 0; a < 3; a++) {
        if (a < n)
            x = x * 5;
        x = x + 2;
    }
    for (int a = 0; a < 65; a++)
        x = x * x + 1;
    for (int a = 0; a < 60; a++)
        x = x * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7);
    for (int a = 0; a < n; a++)
        x = x * x + 2;
    float y = n;
    for (int a = 0; a < 3; a++)
        y = y * y + 1;
    store(Out + i, x + y);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 8} : i64[8]
  %0 = broadcast %X : ptr<f32>[8]
  %1 = addptr %0, %i : ptr<f32>[8]
  %x = load %1 : f32[8]
  %2 = constant {0} : i64
  %3 = constant {3} : i64
  %4 = constant {1} : i64
  %x.1 = for %a = %2 to %3 step %4 carry (%x.2 = %x) : f32[8] {
    %5 = sum {axis -1} %x.2 : f32
    %6 = broadcast %5 : f32[8]
    %x.3 = div %x.2, %6 : f32[8]
    yield %x.3
  }
  %x.4 = for %a.1 = %2 to %3 step %4 carry (%x.5 = %x.1) : f32[8] {
    %7 = cast %i : i32[8]
    %8 = cast %a.1 : i32
    %9 = broadcast %8 : i32[8]
    %10 = xor %7, %9 : i32[8]
    %11 = cast %10 : i64[8]
    %x.6 = gather {axis 0} %x.5, %11 : f32[8]
    yield %x.6
  }
  %x.7 = for %a.2 = %2 to %3 step %4 carry (%x.8 = %x.4) : f32[8] {
    %12 = reshape %x.8 : f32[1, 8]
    %13 = reshape %x.8 : f32[8, 1]
    %14 = broadcast %12 : f32[8, 8]
    %15 = broadcast %13 : f32[8, 8]
    %16 = mul %14, %15 : f32[8, 8]
    %17 = sum {axis 1} %16 : f32[8]
    %x.9 = mul %x.8, %17 : f32[8]
    yield %x.9
  }
  %s = constant {0.0} : f32[8]
  %s.1 = for %a.3 = %2 to %3 step %4 carry (%s.2 = %s) : f32[8] {
    %18 = constant {8} : i64
    %19 = mul %a.3, %18 : i64
    %20 = broadcast %19 : i64[8]
    %21 = addptr %1, %20 : ptr<f32>[8]
    %22 = load %21 : f32[8]
    %s.3 = add %s.2, %22 : f32[8]
    yield %s.3
  }
  %23 = sum {axis -1} %s.1 : f32
  store %Out, %23
  %x.10 = for %a.4 = %2 to %3 step %4 carry (%x.11 = %x.7) : f32[8] {
    %24 = broadcast %Out : ptr<f32>[8]
    %25 = addptr %24, %i : ptr<f32>[8]
    %26 = load %25 : f32[8]
    %x.12 = add %x.11, %26 : f32[8]
    store %25, %x.12
    yield %x.12
  }
  %x.13 = for %a.5 = %2 to %3 step %4 carry (%x.14 = %x.10) : f32[8] {
    %27 = broadcast %Out : ptr<f32>[8]
    %28 = addptr %27, %i : ptr<f32>[8]
    %29 = atomic_add %28, %x.14 : f32[8]
    %x.15 = add %x.14, %29 : f32[8]
    yield %x.15
  }
  %x.16 = for %a.6 = %2 to %3 step %4 carry (%x.17 = %x.13) : f32[8] {
    %30 = constant {100.0} : f32[8]
    %31 = lt %x.17, %30 : bool[8]
    assert {"small"} %31
    %x.18 = mul %x.17, %x.17 : f32[8]
    yield %x.18
  }
  %x.19 = for %a.7 = %2 to %3 step %4 carry (%x.20 = %x.16) : f32[8] {
    %x.21 = for %b = %2 to %n.1 step %4 carry (%x.22 = %x.20) : f32[8] {
      %32 = constant {3.0} : f32[8]
      %x.23 = mul %x.22, %32 : f32[8]
      yield %x.23
    }
    %33 = constant {1.0} : f32[8]
    %x.24 = add %x.21, %33 : f32[8]
    yield %x.24
  }
  %x.25 = for %a.8 = %2 to %3 step %4 carry (%x.26 = %x.19) : f32[8] {
    %34 = lt %a.8, %n.1 : bool
    %x.27 = if %34 : f32[8] {
      %35 = constant {5.0} : f32[8]
      %x.28 = mul %x.26, %35 : f32[8]
      yield %x.28
    } else {
      yield %x.26
    }
    %36 = constant {2.0} : f32[8]
    %x.29 = add %x.27, %36 : f32[8]
    yield %x.29
  }
  %37 = constant {65} : i64
  %x.30 = for %a.9 = %2 to %37 step %4 carry (%x.31 = %x.25) : f32[8] {
    %38 = constant {1.0} : f32[8]
    %x.32 = fma %x.31, %x.31, %38 : f32[8]
    yield %x.32
  }
  %39 = constant {60} : i64
  %x.33 = for %a.10 = %2 to %39 step %4 carry (%x.34 = %x.30) : f32[8] {
    %40 = constant {3.0} : f32[8]
    %41 = add %x.34, %40 : f32[8]
    %42 = constant {4.0} : f32[8]
    %43 = add %x.34, %42 : f32[8]
    %44 = mul %x.34, %41 : f32[8]
    %45 = constant {5.0} : f32[8]
    %46 = add %x.34, %45 : f32[8]
    %47 = mul %44, %43 : f32[8]
    %48 = constant {6.0} : f32[8]
    %49 = add %x.34, %48 : f32[8]
    %50 = mul %47, %46 : f32[8]
    %51 = constant {7.0} : f32[8]
    %52 = add %x.34, %51 : f32[8]
    %53 = mul %50, %49 : f32[8]
    %x.35 = mul %53, %52 : f32[8]
    yield %x.35
  }
  %x.36 = for %a.11 = %2 to %n.1 step %4 carry (%x.37 = %x.33) : f32[8] {
    %54 = constant {2.0} : f32[8]
    %x.38 = fma %x.37, %x.37, %54 : f32[8]
    yield %x.38
  }
  %55 = cast %n : f32
  %y = for %a.12 = %2 to %3 step %4 carry (%y.1 = %55) : f32 {
    %56 = constant {1.0} : f32
    %y.2 = fma %y.1, %y.1, %56 : f32
    yield %y.2
  }
  %57 = broadcast %Out : ptr<f32>[8]
  %58 = addptr %57, %i : ptr<f32>[8]
  %59 = broadcast %y : f32[8]
  %60 = add %x.36, %59 : f32[8]
  store %58, %60
  return
}
