// args: --stage ast
// A switch as it was written: cases that share statements, a default anywhere, breaks that end a case.
kernel void k(float *X, int n, unsigned u)
{
    switch (n + 1) {
    case 1:
    case 2 + 1: {
        X[0] = 1;
        break;
    }
    default:
        X[1] = 2;
        break;
    case -4:
        if (n)
            return;
        else
            return;
    case 5:
        X[2] = 3;
    }
    switch (u) {
    }
}
---
kernel void k(f32* X, i32 n, u32 u)
  switch (n + 1:i32)
    case 1:i32, (2:i32 + 1:i32)
      block
        block
          (X[0:i32] = 1:i32)
    default
      block
        (X[1:i32] = 2:i32)
    case (-4:i32)
      block
        if n
          return
        else
          return
    case 5:i32
      block
        (X[2:i32] = 3:i32)
  switch u
