// In a helper whose arguments are all known, loops that count by doubling have known turns too; those around which
// something is not known have none.
static int bits_of(int n)
{
    int bits = 0;
    for (int m = 1; m < n; m *= 2)
        bits++;
    return bits;
}
static int sum_of(int n)
{
    int i, total = 0;
    for (i = 0; i < n; i++)
        total += i;
    do
        total -= 3;
    while (total > 5);
    return total * i;
}
kernel void k(int *Out, int n)
{
    store(Out, bits_of(20));
    store(Out + 1, sum_of(5));
    store(Out + 2, bits_of(n));
}
---
func @k(%Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = constant {5} : i64
  %2 = constant {1} : i64
  %3 = constant {1} : i32
  %4 = constant {0} : i32
  %m, %bits = for %5 = %0 to %1 step %2 carry (%m.1 = %3, %bits.1 = %4) : (i32, i32) {
    %6 = constant {1} : i32
    %bits.2 = add %bits.1, %6 : i32
    %7 = constant {2} : i32
    %m.2 = mul %m.1, %7 : i32
    yield %m.2, %bits.2
  }
  store %Out, %bits
  %8 = constant {1} : i64
  %9 = addptr %Out, %8 : ptr<i32>
  %10 = constant {0} : i64
  %11 = constant {5} : i64
  %12 = constant {1} : i64
  %13 = constant {0} : i64
  %total = for %i = %10 to %11 step %12 carry (%total.1 = %13) : i64 {
    %total.2 = add %total.1, %i : i64
    yield %total.2
  }
  %14 = constant {true} : bool
  %15, %total.3 = while carry (%16 = %14, %total.4 = %total) : (bool, i64) {
    condition %16, %16, %total.4
  } do (%17, %total.5) {
    %18 = constant {3} : i64
    %total.6 = sub %total.5, %18 : i64
    %19 = constant {5} : i64
    %20 = gt %total.6, %19 : bool
    yield %20, %total.6
  }
  %21 = constant {5} : i64
  %22 = mul %total.3, %21 : i64
  %23 = cast %22 : i32
  store %9, %23
  %24 = constant {2} : i64
  %25 = addptr %Out, %24 : ptr<i32>
  %bits.3 = constant {0} : i32
  %m.3 = constant {1} : i32
  %m.4, %bits.4 = while carry (%m.5 = %m.3, %bits.5 = %bits.3) : (i32, i32) {
    %26 = cast %m.5 : i64
    %27 = lt %26, %n.1 : bool
    condition %27, %m.5, %bits.5
  } do (%m.6, %bits.6) {
    %28 = constant {1} : i32
    %bits.7 = add %bits.6, %28 : i32
    %29 = constant {2} : i32
    %m.7 = mul %m.6, %29 : i32
    yield %m.7, %bits.7
  }
  store %25, %bits.4
  return
}
