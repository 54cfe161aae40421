// while carries what it assigns.
kernel void k(int *Out, int n)
{
    int k = n, turns = 0;
    while (k > 1) {
        k = k % 2 == 0 ? k / 2 : 3 * k + 1;
        turns++;
    }
    store(Out, turns);
}
---
func @k(%Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %turns = constant {0} : i32
  %k, %turns.1 = while carry (%k.1 = %n.1, %turns.2 = %turns) : (i64, i32) {
    %0 = constant {1} : i64
    %1 = gt %k.1, %0 : bool
    condition %1, %k.1, %turns.2
  } do (%k.2, %turns.3) {
    %2 = constant {2} : i64
    %3 = rem %k.2, %2 : i64
    %4 = constant {0} : i64
    %5 = eq %3, %4 : bool
    %k.3 = if %5 : i64 {
      %6 = constant {2} : i64
      %7 = div %k.2, %6 : i64
      yield %7
    } else {
      %8 = constant {3} : i64
      %9 = mul %8, %k.2 : i64
      %10 = constant {1} : i64
      %11 = add %9, %10 : i64
      yield %11
    }
    %12 = constant {1} : i32
    %turns.4 = add %turns.3, %12 : i32
    yield %k.3, %turns.4
  }
  store %Out, %turns.1
  return
}
