// A quotient of integers that is 0 and becomes a float is warned of; other integers are not.
kernel void k(float *Out, const float *X, int n, constexpr int N)
{
    float x = load(X);
    float third = 1 / 3;
    store(Out, 1 / 3 * x);
    store(Out + 1, x * (1 / 2) + 0.5);
    store(Out + 2, pow(x, 1 / 3));
    store(Out + 3, 0.5 * (2 / 3));
    store(Out + 4, 1.0 / 3 * x);
    store(Out + 5, 4 / 3 * x);
    store(Out + 6, 0 / 3 * x);
    store(Out + 7, N / 3 * x);
    store(Out + 8, (float)(1 / 3) * x);
    store(Out + 9, 1 / 3 + n);
    store(Out + 10, 1 / n * x);
    store(Out + 11, third);
}
// args: --stage lowered -D N=2
---
vanished_quotients.tile.c:5:19: warning: the quotient of these integers is 0, and becomes a float
    float third = 1 / 3;
                  ^~~~~
hint: '.0' behind one of them makes it one of floats: 1.0 / 3
vanished_quotients.tile.c:6:16: warning: the quotient of these integers is 0, and becomes a float
    store(Out, 1 / 3 * x);
               ^~~~~
hint: '.0' behind one of them makes it one of floats: 1.0 / 3
vanished_quotients.tile.c:7:24: warning: the quotient of these integers is 0, and becomes a float
    store(Out + 1, x * (1 / 2) + 0.5);
                       ^~~~~~~
hint: '.0' behind one of them makes it one of floats: 1.0 / 3
vanished_quotients.tile.c:8:27: warning: the quotient of these integers is 0, and becomes a float
    store(Out + 2, pow(x, 1 / 3));
                          ^~~~~
hint: '.0' behind one of them makes it one of floats: 1.0 / 3
vanished_quotients.tile.c:9:26: warning: the quotient of these integers is 0, and becomes a float
    store(Out + 3, 0.5 * (2 / 3));
                         ^~~~~~~
hint: '.0' behind one of them makes it one of floats: 1.0 / 3
func @k(%Out: ptr<f32>, %X: const ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %x = load %X : f32
  %third = constant {0.0} : f32
  %0 = constant {0.0} : f32
  %1 = mul %0, %x : f32
  store %Out, %1
  %2 = constant {1} : i64
  %3 = addptr %Out, %2 : ptr<f32>
  %4 = constant {0.0} : f32
  %5 = constant {0.5} : f32
  %6 = fma %x, %4, %5 : f32
  store %3, %6
  %7 = constant {2} : i64
  %8 = addptr %Out, %7 : ptr<f32>
  %9 = constant {0.0} : f32
  %10 = pow %x, %9 : f32
  store %8, %10
  %11 = constant {3} : i64
  %12 = addptr %Out, %11 : ptr<f32>
  %13 = constant {0.0} : f32
  store %12, %13
  %14 = constant {4} : i64
  %15 = addptr %Out, %14 : ptr<f32>
  %16 = constant {0.33333334} : f32
  %17 = mul %16, %x : f32
  store %15, %17
  %18 = constant {5} : i64
  %19 = addptr %Out, %18 : ptr<f32>
  %20 = constant {1.0} : f32
  %21 = mul %20, %x : f32
  store %19, %21
  %22 = constant {6} : i64
  %23 = addptr %Out, %22 : ptr<f32>
  %24 = constant {0.0} : f32
  %25 = mul %24, %x : f32
  store %23, %25
  %26 = constant {7} : i64
  %27 = addptr %Out, %26 : ptr<f32>
  %28 = constant {0.0} : f32
  %29 = mul %28, %x : f32
  store %27, %29
  %30 = constant {8} : i64
  %31 = addptr %Out, %30 : ptr<f32>
  %32 = constant {0.0} : f32
  %33 = mul %32, %x : f32
  store %31, %33
  %34 = constant {9} : i64
  %35 = addptr %Out, %34 : ptr<f32>
  %36 = constant {0} : i64
  %37 = add %36, %n.1 : i64
  %38 = cast %37 : f32
  store %35, %38
  %39 = constant {10} : i64
  %40 = addptr %Out, %39 : ptr<f32>
  %41 = constant {1} : i64
  %42 = div %41, %n.1 : i64
  %43 = cast %42 : f32
  %44 = mul %43, %x : f32
  store %40, %44
  %45 = constant {11} : i64
  %46 = addptr %Out, %45 : ptr<f32>
  store %46, %third
  return
}
