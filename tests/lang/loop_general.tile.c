// Loops that count in another way than by adding, or by nothing: as while loops.
kernel void k(float *Out, int n, constexpr int B)
{
    for (int k = 1; k < n; k *= 2) // the turns are known to a launch only
        store(Out + k, 1);
    for (int k = B; k > 0; k /= 2) // four turns
        store(Out + k, 2);
    for (int j = 0; j < n; j++) { // the body assigns the counter
        j += 2;
        store(Out + j, 3);
    }
    for (int j = 0; j < n; j++) { // the body assigns the bound
        n--;
        store(Out + j, 4);
    }
    for (int j = 0; n > 0; j++, n--)
        store(Out + j, 5);
    for (;;) {
        n++;
        if (n == 3)
            break;
    }
}
// args: -D B=8
---
func @k(%Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %k = constant {1} : i32
  %k.1 = while carry (%k.2 = %k) : i32 {
    %0 = cast %k.2 : i64
    %1 = lt %0, %n.1 : bool
    condition %1, %k.2
  } do (%k.3) {
    %2 = cast %k.3 : i64
    %3 = addptr %Out, %2 : ptr<f32>
    %4 = constant {1.0} : f32
    store %3, %4
    %5 = constant {2} : i32
    %k.4 = mul %k.3, %5 : i32
    yield %k.4
  }
  %k.5 = constant {8} : i64
  %6 = constant {0} : i64
  %7 = constant {4} : i64
  %8 = constant {1} : i64
  %k.6 = for %9 = %6 to %7 step %8 carry (%k.7 = %k.5) : i64 {
    %10 = addptr %Out, %k.7 : ptr<f32>
    %11 = constant {2.0} : f32
    store %10, %11
    %12 = constant {2} : i64
    %k.8 = div %k.7, %12 : i64
    yield %k.8
  }
  %j = constant {0} : i32
  %j.1 = while carry (%j.2 = %j) : i32 {
    %13 = cast %j.2 : i64
    %14 = lt %13, %n.1 : bool
    condition %14, %j.2
  } do (%j.3) {
    %15 = constant {2} : i32
    %j.4 = add %j.3, %15 : i32
    %16 = cast %j.4 : i64
    %17 = addptr %Out, %16 : ptr<f32>
    %18 = constant {3.0} : f32
    store %17, %18
    %19 = constant {1} : i32
    %j.5 = add %j.4, %19 : i32
    yield %j.5
  }
  %j.6 = constant {0} : i32
  %j.7, %n.2 = while carry (%j.8 = %j.6, %n.3 = %n.1) : (i32, i64) {
    %20 = cast %j.8 : i64
    %21 = lt %20, %n.3 : bool
    condition %21, %j.8, %n.3
  } do (%j.9, %n.4) {
    %22 = constant {1} : i64
    %n.5 = sub %n.4, %22 : i64
    %23 = cast %j.9 : i64
    %24 = addptr %Out, %23 : ptr<f32>
    %25 = constant {4.0} : f32
    store %24, %25
    %26 = constant {1} : i32
    %j.10 = add %j.9, %26 : i32
    yield %j.10, %n.5
  }
  %j.11 = constant {0} : i32
  %27 = constant {0} : i64
  %28 = sub %n.2, %27 : i64
  %29 = constant {0} : i64
  %30 = constant {1} : i64
  %j.12 = for %31 = %29 to %28 step %30 carry (%j.13 = %j.11) : i32 {
    %32 = sub %n.2, %31 : i64
    %33 = cast %j.13 : i64
    %34 = addptr %Out, %33 : ptr<f32>
    %35 = constant {5.0} : f32
    store %34, %35
    %36 = constant {1} : i32
    %j.14 = add %j.13, %36 : i32
    yield %j.14
  }
  %37 = constant {0} : i64
  %38 = maximum %37, %28 : i64
  %39 = sub %n.2, %38 : i64
  %40 = constant {false} : bool
  %n.6, %41 = while carry (%n.7 = %39, %42 = %40) : (i64, bool) {
    %43 = not %42 : bool
    %44 = constant {true} : bool
    %45 = and %43, %44 : bool
    condition %45, %n.7, %42
  } do (%n.8, %46) {
    %47 = constant {1} : i64
    %n.9 = add %n.8, %47 : i64
    %48 = not %46 : bool
    %49 = if %48 : bool {
      %50 = constant {3} : i64
      %51 = eq %n.9, %50 : bool
      yield %51
    } else {
      yield %46
    }
    yield %n.9, %49
  }
  return
}
