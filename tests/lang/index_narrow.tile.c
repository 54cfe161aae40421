// Casts, bit operations and unsigned operands narrow an index; small declared types do too.
// args: -D B=4
kernel void k(int *Out, unsigned *U, int n, long wide, uint32_t u, constexpr int B)
{
    int i = program_id(0) + n;
    store(Out + 0, (int)i);
    store(Out + 1, i & 15);
    store(Out + 2, i << 2);
    store(U + 3, i + u);
    store(Out + 4, wide + u);
    store(Out + 5, ~i);
    int8_t narrow = i;
    store(Out + 6, narrow + 1);
}
---
func @k(%Out: ptr<i32>, %U: ptr<u32>, %n: i32, %wide: i64, %u: u32) {
  %n.1 = cast %n : i64
  %0 = program_id {axis 0} : i64
  %i = add %0, %n.1 : i64
  %1 = constant {0} : i64
  %2 = addptr %Out, %1 : ptr<i32>
  %3 = cast %i : i32
  store %2, %3
  %4 = constant {1} : i64
  %5 = addptr %Out, %4 : ptr<i32>
  %6 = cast %i : i32
  %7 = constant {15} : i32
  %8 = and %6, %7 : i32
  store %5, %8
  %9 = constant {2} : i64
  %10 = addptr %Out, %9 : ptr<i32>
  %11 = cast %i : i32
  %12 = constant {2} : i32
  %13 = shl %11, %12 : i32
  store %10, %13
  %14 = constant {3} : i64
  %15 = addptr %U, %14 : ptr<u32>
  %16 = cast %i : u32
  %17 = add %16, %u : u32
  store %15, %17
  %18 = constant {4} : i64
  %19 = addptr %Out, %18 : ptr<i32>
  %20 = cast %u : i64
  %21 = add %wide, %20 : i64
  %22 = cast %21 : i32
  store %19, %22
  %23 = constant {5} : i64
  %24 = addptr %Out, %23 : ptr<i32>
  %25 = cast %i : i32
  %26 = not %25 : i32
  store %24, %26
  %narrow = cast %i : i8
  %27 = constant {6} : i64
  %28 = addptr %Out, %27 : ptr<i32>
  %29 = cast %narrow : i32
  %30 = constant {1} : i32
  %31 = add %29, %30 : i32
  store %28, %31
  return
}
