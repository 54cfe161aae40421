// Integer constants are folded with the meaning of run time; no trap.
constexpr int LOWEST = -2147483647 - 1;
kernel void k(int *Out)
{
    store(Out + 0, -7 / 2);
    store(Out + 1, -7 % 2);
    store(Out + 2, 7 / -2);
    store(Out + 3, cdiv(-7, 2));
    store(Out + 4, LOWEST);
    store(Out + 5, 1 << 31);
    store(Out + 6, 0xffffffff);
    store(Out + 7, next_pow2(1000));
    store(Out + 8, (uint8_t)300);
    store(Out + 9, (int)-1.5);
    store(Out + 10, 'a' + true);
}
---
func @k(%Out: ptr<i32>) {
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<i32>
  %2 = constant {-3} : i32
  store %1, %2
  %3 = constant {1} : i64
  %4 = addptr %Out, %3 : ptr<i32>
  %5 = constant {-1} : i32
  store %4, %5
  %6 = constant {2} : i64
  %7 = addptr %Out, %6 : ptr<i32>
  %8 = constant {-3} : i32
  store %7, %8
  %9 = constant {3} : i64
  %10 = addptr %Out, %9 : ptr<i32>
  %11 = constant {-3} : i32
  store %10, %11
  %12 = constant {4} : i64
  %13 = addptr %Out, %12 : ptr<i32>
  %14 = constant {-2147483648} : i32
  store %13, %14
  %15 = constant {5} : i64
  %16 = addptr %Out, %15 : ptr<i32>
  %17 = constant {-2147483648} : i32
  store %16, %17
  %18 = constant {6} : i64
  %19 = addptr %Out, %18 : ptr<i32>
  %20 = constant {-1} : i32
  store %19, %20
  %21 = constant {7} : i64
  %22 = addptr %Out, %21 : ptr<i32>
  %23 = constant {1024} : i32
  store %22, %23
  %24 = constant {8} : i64
  %25 = addptr %Out, %24 : ptr<i32>
  %26 = constant {44} : i32
  store %25, %26
  %27 = constant {9} : i64
  %28 = addptr %Out, %27 : ptr<i32>
  %29 = constant {-1} : i32
  store %28, %29
  %30 = constant {10} : i64
  %31 = addptr %Out, %30 : ptr<i32>
  %32 = constant {98} : i32
  store %31, %32
  return
}
