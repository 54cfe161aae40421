// A constant that its place cannot hold is warned of wherever it may stand, and not where a cast says
// that it is meant, where it fits as bits, or where nothing is lost.
static float f(int8_t a, half b)
{
    return a + b;
}
static uint8_t g(int x)
{
    return x < 3 ? 256 : 255;
}
constexpr int8_t AT_FILE = 128;
kernel void k(int8_t *A, uint16_t *B, half *H, int *I, unsigned *U, long *L, int n)
{
    int8_t a = 200, b = -129, c = 127, d = -128, e = (int8_t)200;
    uint8_t r = 300, s = -200, t = 255, u = -1, v = (uint8_t)300;
    int i = 99999999999, j = 3.7, l = 4.0, m = (int)3.7, o = 0xFFFFFFFF, p = -3e9;
    half h = 70000, hh = 65504, hm = -INFINITY, hs = 1e-9, hd = -1e6;
    a = 1000;
    store(A, 128);
    store(B, -1);
    store(H, 1e5);
    atomic_add(I, 1.5);
    store(U, 1ull << 32);
    store(L, 0xFFFFFFFFFFFFFFFF);
    store(A, (int8_t)(f(300, 1e6) + g(n) + AT_FILE));
    bool yes = 2;
}
---
constants_change.tile.c:11:28: warning: 'AT_FILE' takes 'int8_t': the constant 128 becomes -128
constexpr int8_t AT_FILE = 128;
                           ^~~
hint: '(int8_t)' in front of it says that this is meant
constants_change.tile.c:14:16: warning: 'a' takes 'int8_t': the constant 200 becomes -56
    int8_t a = 200, b = -129, c = 127, d = -128, e = (int8_t)200;
               ^~~
hint: '(int8_t)' in front of it says that this is meant
constants_change.tile.c:14:25: warning: 'b' takes 'int8_t': the constant -129 becomes 127
    int8_t a = 200, b = -129, c = 127, d = -128, e = (int8_t)200;
                        ^~~~
hint: '(int8_t)' in front of it says that this is meant
constants_change.tile.c:15:17: warning: 'r' takes 'uint8_t': the constant 300 becomes 44
    uint8_t r = 300, s = -200, t = 255, u = -1, v = (uint8_t)300;
                ^~~
hint: '(uint8_t)' in front of it says that this is meant
constants_change.tile.c:15:26: warning: 's' takes 'uint8_t': the constant -200 becomes 56
    uint8_t r = 300, s = -200, t = 255, u = -1, v = (uint8_t)300;
                         ^~~~
hint: '(uint8_t)' in front of it says that this is meant
constants_change.tile.c:16:13: warning: 'i' takes 'int': the constant 99999999999 becomes 1215752191
    int i = 99999999999, j = 3.7, l = 4.0, m = (int)3.7, o = 0xFFFFFFFF, p = -3e9;
            ^~~~~~~~~~~
hint: '(int)' in front of it says that this is meant
constants_change.tile.c:16:30: warning: 'j' takes 'int': the constant 3.7 becomes 3
    int i = 99999999999, j = 3.7, l = 4.0, m = (int)3.7, o = 0xFFFFFFFF, p = -3e9;
                             ^~~
hint: '(int)' in front of it says that this is meant
constants_change.tile.c:16:78: warning: 'p' takes 'int': the constant -3e+09 becomes -2147483648
    int i = 99999999999, j = 3.7, l = 4.0, m = (int)3.7, o = 0xFFFFFFFF, p = -3e9;
                                                                             ^~~~
hint: '(int)' in front of it says that this is meant
constants_change.tile.c:17:14: warning: 'h' takes 'half': the constant 70000 becomes inf
    half h = 70000, hh = 65504, hm = -INFINITY, hs = 1e-9, hd = -1e6;
             ^~~~~
hint: '(half)' in front of it says that this is meant
constants_change.tile.c:17:65: warning: 'hd' takes 'half': the constant -1000000 becomes -inf
    half h = 70000, hh = 65504, hm = -INFINITY, hs = 1e-9, hd = -1e6;
                                                                ^~~~
hint: '(half)' in front of it says that this is meant
constants_change.tile.c:18:5: warning: 'a' takes 'int8_t': the constant 1000 becomes -24
    a = 1000;
    ^~~~~~~~
hint: '(int8_t)' in front of it says that this is meant
constants_change.tile.c:19:14: warning: the element takes 'int8_t': the constant 128 becomes -128
    store(A, 128);
             ^~~
hint: '(int8_t)' in front of it says that this is meant
constants_change.tile.c:21:14: warning: the element takes 'half': the constant 100000 becomes inf
    store(H, 1e5);
             ^~~
hint: '(half)' in front of it says that this is meant
constants_change.tile.c:22:19: warning: the element takes 'int': the constant 1.5 becomes 1
    atomic_add(I, 1.5);
                  ^~~
hint: '(int)' in front of it says that this is meant
constants_change.tile.c:23:14: warning: the element takes 'unsigned int': the constant 4294967296 becomes 0
    store(U, 1ull << 32);
             ^~~~~~~~~~
hint: '(unsigned int)' in front of it says that this is meant
constants_change.tile.c:25:25: warning: parameter 'a' of 'f' takes 'int8_t': the constant 300 becomes 44
    store(A, (int8_t)(f(300, 1e6) + g(n) + AT_FILE));
                        ^~~
hint: '(int8_t)' in front of it says that this is meant
constants_change.tile.c:25:30: warning: parameter 'b' of 'f' takes 'half': the constant 1000000 becomes inf
    store(A, (int8_t)(f(300, 1e6) + g(n) + AT_FILE));
                             ^~~
hint: '(half)' in front of it says that this is meant
func @k(%A: ptr<i8>, %B: ptr<u16>, %H: ptr<f16>, %I: ptr<i32>, %U: ptr<u32>, %L: ptr<i64>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {-128} : i8
  store %A, %0
  %1 = constant {65535} : u16
  store %B, %1
  %2 = constant {inf} : f16
  store %H, %2
  %3 = constant {1} : i32
  %4 = atomic_add %I, %3 : i32
  %5 = constant {0} : u32
  store %U, %5
  %6 = constant {-1} : i64
  store %L, %6
  %7 = constant {3} : i64
  %8 = lt %n.1, %7 : bool
  %9 = constant {256} : i32
  %10 = constant {255} : i32
  %11 = select %8, %9, %10 : i32
  %12 = cast %11 : u8
  %13 = cast %12 : f32
  %14 = constant {inf} : f32
  %15 = add %14, %13 : f32
  %16 = constant {-128.0} : f32
  %17 = add %15, %16 : f32
  %18 = cast %17 : i8
  store %A, %18
  %yes = constant {true} : bool
  return
}
