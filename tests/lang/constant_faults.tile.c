// Constant faults are warned about and give the defined result.
constexpr int LOWEST = -2147483647 - 1;
kernel void k(int *Out)
{
    store(Out + 0, 1 / 0);
    store(Out + 1, 5 % 0);
    store(Out + 2, LOWEST / -1);
    store(Out + 3, LOWEST % -1);
    store(Out + 4, 2147483647 + 1);
    store(Out + 5, 1 << 33);
    store(Out + 6, 8 >> -1);
}
---
constant_faults.tile.c:5:20: warning: division by zero in a constant expression
    store(Out + 0, 1 / 0);
                   ^~~~~
constant_faults.tile.c:6:20: warning: division by zero in a constant expression
    store(Out + 1, 5 % 0);
                   ^~~~~
constant_faults.tile.c:7:20: warning: signed overflow in a constant expression
    store(Out + 2, LOWEST / -1);
                   ^~~~~~~~~~~
constant_faults.tile.c:9:20: warning: signed overflow in a constant expression
    store(Out + 4, 2147483647 + 1);
                   ^~~~~~~~~~~~~~
constant_faults.tile.c:10:20: warning: shift count outside the type in a constant expression
    store(Out + 5, 1 << 33);
                   ^~~~~~~
constant_faults.tile.c:11:20: warning: shift count outside the type in a constant expression
    store(Out + 6, 8 >> -1);
                   ^~~~~~~
func @k(%Out: ptr<i32>) {
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<i32>
  %2 = constant {0} : i32
  store %1, %2
  %3 = constant {1} : i64
  %4 = addptr %Out, %3 : ptr<i32>
  %5 = constant {5} : i32
  store %4, %5
  %6 = constant {2} : i64
  %7 = addptr %Out, %6 : ptr<i32>
  %8 = constant {-2147483648} : i32
  store %7, %8
  %9 = constant {3} : i64
  %10 = addptr %Out, %9 : ptr<i32>
  %11 = constant {0} : i32
  store %10, %11
  %12 = constant {4} : i64
  %13 = addptr %Out, %12 : ptr<i32>
  %14 = constant {-2147483648} : i32
  store %13, %14
  %15 = constant {5} : i64
  %16 = addptr %Out, %15 : ptr<i32>
  %17 = constant {2} : i32
  store %16, %17
  %18 = constant {6} : i64
  %19 = addptr %Out, %18 : ptr<i32>
  %20 = constant {0} : i32
  store %19, %20
  return
}
