// Precedence and grouping, as the tree shows them.
// args: --stage ast
kernel void k(const float *X, int a, int b, int c)
{
    a = a + b * c - b % c / a;
    a = a << 1 + b >> c;
    a = a & b == c | b ^ c && a || !b;
    a = -a - -b + ~c * +a;
    a = (a + b) * c;
    a = b = c;
    a += b -= 1;
    a = a ? b : c ? a : b;
    a = a < b == b > c;
    a++;
    --b;
    float x = X[a + 1] + *X * (float)a;
    x = 1 + 0x10u + 0b11 + 017 + 1'000l + 'A' + true + 4294967296;
    x = 1.5 + .5f + 1e-3f16 + 0x1p-3 + 2.bf16 + INFINITY - NAN;
    f(x, half, .name = a, "text\n" "more", unsigned char);
}
---
ast_expressions.tile.c:7:13: warning: '==' is done in front of '&', which gets its result
    a = a & b == c | b ^ c && a || !b;
            ^~~~~~
hint: write '(a & b) == c'; parentheses say that it is meant
kernel void k(const f32* X, i32 a, i32 b, i32 c)
  (a = ((a + (b * c)) - ((b % c) / a)))
  (a = ((a << (1:i32 + b)) >> c))
  (a = ((((a & (b == c)) | (b ^ c)) && a) || (!b)))
  (a = (((-a) - (-b)) + ((~c) * (+a))))
  (a = ((a + b) * c))
  (a = (b = c))
  (a += (b -= 1:i32))
  (a = (a ? b : (c ? a : b)))
  (a = ((a < b) == (b > c)))
  (a++)
  (--b)
  declare f32 x = (X[(a + 1:i32)] + ((*X) * (f32)a))
  (x = (((((((1:i32 + 16:u32) + 3:i32) + 15:i32) + 1000:i64) + 65:i32) + 1:bool) + 4294967296:i64))
  (x = ((((((1.5 + .5:f32) + 1e-3:f16) + 0x1p-3) + 2.:bf16) + inf) - nan))
  f(x, f16, .name = a, "text\x0amore", u8)
