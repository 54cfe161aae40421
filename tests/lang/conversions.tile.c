// Declarations, assignments, arguments and stores convert as in C.
static half to_half(half x) { return x; }
kernel void k(const float *X, int *I, half *H, bool *B, float a, double d)
{
    int truncated = a;
    bool truth = a;
    float single = d;
    uint8_t byte = a;
    store(I + 0, truncated + truth + byte);
    store(H + 0, to_half(a) + 1);
    store(B + 0, a);
    store(H + 1, single);
    truncated = 2.75;
    store(I + 1, truncated);
}
---
conversions.tile.c:13:5: warning: 'truncated' takes 'int': the constant 2.75 becomes 2
    truncated = 2.75;
    ^~~~~~~~~~~~~~~~
hint: '(int)' in front of it says that this is meant
func @k(%X: const ptr<f32>, %I: ptr<i32>, %H: ptr<f16>, %B: ptr<bool>, %a: f32, %d: f64) {
  %truncated = cast %a : i32
  %truth = cast %a : bool
  %single = cast %d : f32
  %byte = cast %a : u8
  %0 = constant {0} : i64
  %1 = addptr %I, %0 : ptr<i32>
  %2 = cast %truth : i32
  %3 = add %truncated, %2 : i32
  %4 = cast %byte : i32
  %5 = add %3, %4 : i32
  store %1, %5
  %6 = constant {0} : i64
  %7 = addptr %H, %6 : ptr<f16>
  %x = cast %a : f16
  %8 = constant {1.0} : f16
  %9 = add %x, %8 : f16
  store %7, %9
  %10 = constant {0} : i64
  %11 = addptr %B, %10 : ptr<bool>
  %12 = cast %a : bool
  store %11, %12
  %13 = constant {1} : i64
  %14 = addptr %H, %13 : ptr<f16>
  %15 = cast %single : f16
  store %14, %15
  %truncated.1 = constant {2} : i32
  %16 = constant {1} : i64
  %17 = addptr %I, %16 : ptr<i32>
  store %17, %truncated.1
  return
}
