// On scalars the right side is evaluated only if it decides; what cannot be told apart is not branched.
kernel void k(const int *P, int *Out, int n)
{
    bool both = n > 0 && P[n] > 0;
    bool cheap = n > 0 || n < -5;
    bool divides = n != 0 && 100 / n > 2;
    int chosen = n > 0 ? P[n] : 0;
    int tile = arange(0, 4);
    store(Out + tile, chosen, both && tile > 0);
    store(Out + 9, cheap, divides);
}
---
func @k(%P: const ptr<i32>, %Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = gt %n.1, %0 : bool
  %both = if %1 : bool {
    %2 = addptr %P, %n.1 : ptr<i32>
    %3 = load %2 : i32
    %4 = constant {0} : i32
    %5 = gt %3, %4 : bool
    yield %5
  } else {
    %6 = constant {false} : bool
    yield %6
  }
  %7 = constant {0} : i64
  %8 = gt %n.1, %7 : bool
  %9 = constant {-5} : i64
  %10 = lt %n.1, %9 : bool
  %cheap = or %8, %10 : bool
  %11 = constant {0} : i64
  %12 = ne %n.1, %11 : bool
  %divides = if %12 : bool {
    %13 = constant {100} : i64
    %14 = div %13, %n.1 : i64
    %15 = constant {2} : i64
    %16 = gt %14, %15 : bool
    yield %16
  } else {
    %17 = constant {false} : bool
    yield %17
  }
  %18 = constant {0} : i64
  %19 = gt %n.1, %18 : bool
  %chosen = if %19 : i32 {
    %20 = addptr %P, %n.1 : ptr<i32>
    %21 = load %20 : i32
    yield %21
  } else {
    %22 = constant {0} : i32
    yield %22
  }
  %tile = arange {0 to 4} : i64[4]
  %23 = broadcast %Out : ptr<i32>[4]
  %24 = addptr %23, %tile : ptr<i32>[4]
  %25 = constant {0} : i64[4]
  %26 = gt %tile, %25 : bool[4]
  %27 = broadcast %both : bool[4]
  %28 = and %27, %26 : bool[4]
  %29 = broadcast %chosen : i32[4]
  store %24, %29, %28
  %30 = constant {9} : i64
  %31 = addptr %Out, %30 : ptr<i32>
  %32 = cast %cheap : i32
  store %31, %32, %divides
  return
}
