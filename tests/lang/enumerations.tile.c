// Constants in C's other spellings, and the sizes of types.
enum { ZERO, ONE, FOUR = 4, FIVE };
enum mode { FAST = FIVE * 2, SLOW, };
static const int WIDTH = FOUR * 2;
const float HALF_PI = 1.5707964f;
kernel void k(float *Out, int *I)
{
    store(Out + arange(ZERO, WIDTH), HALF_PI);
    I[ONE] = SLOW + sizeof(half) + sizeof(const double *);
}
---
func @k(%Out: ptr<f32>, %I: ptr<i32>) {
  %0 = arange {0 to 8} : i64[8]
  %1 = broadcast %Out : ptr<f32>[8]
  %2 = addptr %1, %0 : ptr<f32>[8]
  %3 = constant {1.5707964} : f32[8]
  store %2, %3
  %4 = constant {1} : i64
  %5 = addptr %I, %4 : ptr<i32>
  %6 = constant {21} : i32
  store %5, %6
  return
}
