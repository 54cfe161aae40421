// Values from program ids, ranges, counters and signed parameters stay exact, in 64 bits.
// args: -D B=4
kernel void k(const int *P, int *Out, int n, int8_t small, constexpr int B)
{
    int i = program_id(0) * n + arange(0, B);
    int loaded = load(P + i);
    int met = loaded + i;          /* sign-extended */
    int plain = loaded * loaded;   /* C's int */
    store(Out + met, plain, -i < small);
    store(Out + abs(minimum(i, n)), where(i > n, loaded, i));
    store(Out + cdiv(n, B), max(i) % 7);
}
---
func @k(%P: const ptr<i32>, %Out: ptr<i32>, %n: i32, %small: i8) {
  %n.1 = cast %n : i64
  %small.1 = cast %small : i64
  %0 = program_id {axis 0} : i64
  %1 = mul %0, %n.1 : i64
  %2 = arange {0 to 4} : i64[4]
  %3 = broadcast %1 : i64[4]
  %i = add %3, %2 : i64[4]
  %4 = broadcast %P : ptr<i32>[4]
  %5 = addptr %4, %i : ptr<i32>[4]
  %loaded = load %5 : i32[4]
  %6 = cast %loaded : i64[4]
  %met = add %6, %i : i64[4]
  %plain = mul %loaded, %loaded : i32[4]
  %7 = broadcast %Out : ptr<i32>[4]
  %8 = addptr %7, %met : ptr<i32>[4]
  %9 = neg %i : i64[4]
  %10 = broadcast %small.1 : i64[4]
  %11 = lt %9, %10 : bool[4]
  store %8, %plain, %11
  %12 = broadcast %n.1 : i64[4]
  %13 = minimum %i, %12 : i64[4]
  %14 = abs %13 : i64[4]
  %15 = broadcast %Out : ptr<i32>[4]
  %16 = addptr %15, %14 : ptr<i32>[4]
  %17 = broadcast %n.1 : i64[4]
  %18 = gt %i, %17 : bool[4]
  %19 = cast %loaded : i64[4]
  %20 = select %18, %19, %i : i64[4]
  %21 = cast %20 : i32[4]
  store %16, %21
  %22 = constant {4} : i64
  %23 = cdiv %n.1, %22 : i64
  %24 = addptr %Out, %23 : ptr<i32>
  %25 = max {axis -1} %i : i64
  %26 = constant {7} : i64
  %27 = rem %25, %26 : i64
  %28 = cast %27 : i32
  store %24, %28
  return
}
