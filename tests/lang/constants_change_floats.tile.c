// Floating constants that an integer does not take as they are, with and without a suffix, are warned of;
// what is computed from variables that happen to be known is not.
static int whole(float x)
{
    return x;
}
kernel void k(int *I, long *L, uint64_t *U, double *D)
{
    int32_t a = 3e9, b = 2.5f, c = -1.5f16, d = NAN, e = 4.0f, f = (int)2.5f;
    uint8_t g = -1.0, h = 255.5;
    long l = 1e18, m = 9223372036854775808.0, n = 9007199254740993.0;
    uint64_t u = 18446744073709551616.0, v = 1.5e19;
    store(I, a + b + c + d + e + f + whole(2.5f));
    store(I + arange(0, 4), full(int, 1.5, 4));
    store(L, l + m + n);
    store(U, u + v + g + h);
    double x = 1e18 + 1;
    store(D, x);
}
---
constants_change_floats.tile.c:9:17: warning: 'a' takes 'int': the constant 3e+09 becomes 2147483647
    int32_t a = 3e9, b = 2.5f, c = -1.5f16, d = NAN, e = 4.0f, f = (int)2.5f;
                ^~~
hint: '(int)' in front of it says that this is meant
constants_change_floats.tile.c:9:26: warning: 'b' takes 'int': the constant 2.5 becomes 2
    int32_t a = 3e9, b = 2.5f, c = -1.5f16, d = NAN, e = 4.0f, f = (int)2.5f;
                         ^~~~
hint: '(int)' in front of it says that this is meant
constants_change_floats.tile.c:9:36: warning: 'c' takes 'int': the constant -1.5 becomes -1
    int32_t a = 3e9, b = 2.5f, c = -1.5f16, d = NAN, e = 4.0f, f = (int)2.5f;
                                   ^~~~~~~
hint: '(int)' in front of it says that this is meant
constants_change_floats.tile.c:9:49: warning: 'd' takes 'int': the constant nan becomes 0
    int32_t a = 3e9, b = 2.5f, c = -1.5f16, d = NAN, e = 4.0f, f = (int)2.5f;
                                                ^~~
hint: '(int)' in front of it says that this is meant
constants_change_floats.tile.c:10:17: warning: 'g' takes 'uint8_t': the constant -1 becomes 0
    uint8_t g = -1.0, h = 255.5;
                ^~~~
hint: '(uint8_t)' in front of it says that this is meant
constants_change_floats.tile.c:10:27: warning: 'h' takes 'uint8_t': the constant 255.5 becomes 255
    uint8_t g = -1.0, h = 255.5;
                          ^~~~~
hint: '(uint8_t)' in front of it says that this is meant
constants_change_floats.tile.c:11:24: warning: 'm' takes 'long': the constant 9.22337204e+18 becomes 9223372036854775807
    long l = 1e18, m = 9223372036854775808.0, n = 9007199254740993.0;
                       ^~~~~~~~~~~~~~~~~~~~~
hint: '(long)' in front of it says that this is meant
constants_change_floats.tile.c:12:18: warning: 'u' takes 'uint64_t': the constant 1.84467441e+19 becomes 18446744073709551615
    uint64_t u = 18446744073709551616.0, v = 1.5e19;
                 ^~~~~~~~~~~~~~~~~~~~~~
hint: '(uint64_t)' in front of it says that this is meant
constants_change_floats.tile.c:14:39: warning: 'full' takes 'int': the constant 1.5 becomes 1
    store(I + arange(0, 4), full(int, 1.5, 4));
                                      ^~~
hint: '(int)' in front of it says that this is meant
func @k(%I: ptr<i32>, %L: ptr<i64>, %U: ptr<u64>, %D: ptr<f64>) {
  %a = constant {2147483647} : i32
  %b = constant {2} : i32
  %c = constant {-1} : i32
  %d = constant {0} : i32
  %e = constant {4} : i32
  %f = constant {2} : i32
  %g = constant {0} : u8
  %h = constant {255} : u8
  %l = constant {1000000000000000000} : i64
  %m = constant {9223372036854775807} : i64
  %n = constant {9007199254740992} : i64
  %u = constant {18446744073709551615} : u64
  %v = constant {15000000000000000000} : u64
  %0 = add %a, %b : i32
  %1 = add %0, %c : i32
  %2 = add %1, %d : i32
  %3 = add %2, %e : i32
  %4 = add %3, %f : i32
  %5 = constant {2} : i32
  %6 = add %4, %5 : i32
  store %I, %6
  %7 = arange {0 to 4} : i64[4]
  %8 = broadcast %I : ptr<i32>[4]
  %9 = addptr %8, %7 : ptr<i32>[4]
  %10 = constant {1} : i32[4]
  store %9, %10
  %11 = add %l, %m : i64
  %12 = add %11, %n : i64
  store %L, %12
  %13 = add %u, %v : u64
  %14 = cast %g : i32
  %15 = cast %14 : u64
  %16 = add %13, %15 : u64
  %17 = cast %h : i32
  %18 = cast %17 : u64
  %19 = add %16, %18 : u64
  store %U, %19
  %x = constant {1e18} : f64
  store %D, %x
  return
}
