// A switch becomes ifs within each other; the default is what is left. What all ways set has a value behind
// it. A constant chooses at compile time. An index is compared in 64 bits, others as C promotes them.
enum { ADD, SUB = 7, MUL };
static float apply(int op, float x, float y)
{
    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    default:
        return x * y;
    }
}
kernel void k(float *X, const uint8_t *Q, int n)
{
    float x;
    switch (n) {
    case 0:
    case 3:
        x = 1;
        break;
    case 4:
        x = 2;
        break;
    default:
        x = 3;
    }
    X[0] = x;
    switch (Q[0]) {
    case 255:
        X[1] = 5;
        break;
    case -1:
        X[1] = 6;
        break;
    }
    X[2] = apply(SUB, X[0], X[1]);
    for (int i = 0; i < n; i++) {
        switch (i & 1) {
        case 1:
            continue;
        default:
            break;
        }
        X[i] = 0;
    }
}
---
func @k(%X: ptr<f32>, %Q: const ptr<u8>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = eq %n.1, %0 : bool
  %2 = constant {3} : i64
  %3 = eq %n.1, %2 : bool
  %4 = or %1, %3 : bool
  %x = if %4 : f32 {
    %x.1 = constant {1.0} : f32
    yield %x.1
  } else {
    %5 = constant {4} : i64
    %6 = eq %n.1, %5 : bool
    %x.2 = if %6 : f32 {
      %x.3 = constant {2.0} : f32
      yield %x.3
    } else {
      %x.4 = constant {3.0} : f32
      yield %x.4
    }
    yield %x.2
  }
  %7 = constant {0} : i64
  %8 = addptr %X, %7 : ptr<f32>
  store %8, %x
  %9 = constant {0} : i64
  %10 = addptr %Q, %9 : ptr<u8>
  %11 = load %10 : u8
  %12 = cast %11 : i32
  %13 = constant {255} : i32
  %14 = eq %12, %13 : bool
  if %14 {
    %15 = constant {1} : i64
    %16 = addptr %X, %15 : ptr<f32>
    %17 = constant {5.0} : f32
    store %16, %17
    yield
  } else {
    %18 = constant {-1} : i32
    %19 = eq %12, %18 : bool
    if %19 {
      %20 = constant {1} : i64
      %21 = addptr %X, %20 : ptr<f32>
      %22 = constant {6.0} : f32
      store %21, %22
      yield
    } else {
      yield
    }
    yield
  }
  %23 = constant {0} : i64
  %24 = addptr %X, %23 : ptr<f32>
  %x.5 = load %24 : f32
  %25 = constant {1} : i64
  %26 = addptr %X, %25 : ptr<f32>
  %y = load %26 : f32
  %op = constant {7} : i32
  %27 = constant {0} : i32
  %28 = eq %op, %27 : bool
  %29 = if %28 : f32 {
    %30 = add %x.5, %y : f32
    yield %30
  } else {
    %31 = constant {7} : i32
    %32 = eq %op, %31 : bool
    %33 = if %32 : f32 {
      %34 = sub %x.5, %y : f32
      yield %34
    } else {
      %35 = mul %x.5, %y : f32
      yield %35
    }
    yield %33
  }
  %36 = constant {2} : i64
  %37 = addptr %X, %36 : ptr<f32>
  store %37, %29
  %38 = constant {0} : i64
  %39 = constant {1} : i64
  for %i = %38 to %n.1 step %39 {
    %40 = cast %i : i32
    %41 = constant {1} : i32
    %42 = and %40, %41 : i32
    %43 = constant {1} : i32
    %44 = eq %42, %43 : bool
    %45 = not %44 : bool
    if %45 {
      %46 = addptr %X, %i : ptr<f32>
      %47 = constant {0.0} : f32
      store %46, %47
      yield
    } else {
      yield
    }
    yield
  }
  return
}
