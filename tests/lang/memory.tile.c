// load and store with their defaults, converted to the pointer's element.
kernel void k(const half *H, int8_t *C, float *Out, int n)
{
    int i = arange(0, 4);
    half x = load(H + i, i < n, -1.5);
    half y = load(H + i, i < n);
    store(Out + i, x + y, i < n);
    store(C + i, 7);
    store(C + n, 300.5f);
    store(Out + 1, load(H + 1, n > 3));
}
---
memory.tile.c:9:18: warning: the element takes 'int8_t': the constant 300.5 becomes 127
    store(C + n, 300.5f);
                 ^~~~~~
hint: '(int8_t)' in front of it says that this is meant
func @k(%H: const ptr<f16>, %C: ptr<i8>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 4} : i64[4]
  %0 = broadcast %H : ptr<f16>[4]
  %1 = addptr %0, %i : ptr<f16>[4]
  %2 = broadcast %n.1 : i64[4]
  %3 = lt %i, %2 : bool[4]
  %4 = constant {-1.5} : f16[4]
  %x = load %1, %3, %4 : f16[4]
  %5 = broadcast %H : ptr<f16>[4]
  %6 = addptr %5, %i : ptr<f16>[4]
  %7 = broadcast %n.1 : i64[4]
  %8 = lt %i, %7 : bool[4]
  %9 = constant {0.0} : f16[4]
  %y = load %6, %8, %9 : f16[4]
  %10 = broadcast %Out : ptr<f32>[4]
  %11 = addptr %10, %i : ptr<f32>[4]
  %12 = add %x, %y : f16[4]
  %13 = broadcast %n.1 : i64[4]
  %14 = lt %i, %13 : bool[4]
  %15 = cast %12 : f32[4]
  store %11, %15, %14
  %16 = broadcast %C : ptr<i8>[4]
  %17 = addptr %16, %i : ptr<i8>[4]
  %18 = constant {7} : i8[4]
  store %17, %18
  %19 = addptr %C, %n.1 : ptr<i8>
  %20 = constant {127} : i8
  store %19, %20
  %21 = constant {1} : i64
  %22 = addptr %Out, %21 : ptr<f32>
  %23 = constant {1} : i64
  %24 = addptr %H, %23 : ptr<f16>
  %25 = constant {3} : i64
  %26 = gt %n.1, %25 : bool
  %27 = constant {0.0} : f16
  %28 = load %24, %26, %27 : f16
  %29 = cast %28 : f32
  store %22, %29
  return
}
