// Products of every type of sums: of operands of every type, stored in every type.
// run: :double_half A=@f64a.npy B=@f64b.npy C=new:f16[2,9] --grid 1 --out C=c.npy
// run: :double_bfloat A=@f64a.npy B=@f64b.npy C=new:bf16[2,9] --grid 1 --out C=c.npy
// run: :double_float A=@f64a.npy B=@f64b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :double_double A=@f64a.npy B=@f64b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :double_char A=@f64a.npy B=@f64b.npy C=new:i8[2,9] --grid 1 --out C=c.npy
// run: :double_uint16_t A=@f64a.npy B=@f64b.npy C=new:u16[2,9] --grid 1 --out C=c.npy
// run: :double_int A=@f64a.npy B=@f64b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :double_long A=@f64a.npy B=@f64b.npy C=new:i64[2,9] --grid 1 --out C=c.npy
// run: :double_bool A=@f64a.npy B=@f64b.npy C=new:bool[2,9] --grid 1 --out C=c.npy
// run: :float_half A=@f32a.npy B=@f32b.npy C=new:f16[2,9] --grid 1 --out C=c.npy
// run: :float_bfloat A=@f32a.npy B=@f32b.npy C=new:bf16[2,9] --grid 1 --out C=c.npy
// run: :float_float A=@f32a.npy B=@f32b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :float_double A=@f32a.npy B=@f32b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :float_char A=@f32a.npy B=@f32b.npy C=new:i8[2,9] --grid 1 --out C=c.npy
// run: :float_uint16_t A=@f32a.npy B=@f32b.npy C=new:u16[2,9] --grid 1 --out C=c.npy
// run: :float_int A=@f32a.npy B=@f32b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :float_long A=@f32a.npy B=@f32b.npy C=new:i64[2,9] --grid 1 --out C=c.npy
// run: :float_bool A=@f32a.npy B=@f32b.npy C=new:bool[2,9] --grid 1 --out C=c.npy
// run: :int_half A=@i8a.npy B=@i8b.npy C=new:f16[2,9] --grid 1 --out C=c.npy
// run: :int_bfloat A=@i8a.npy B=@i8b.npy C=new:bf16[2,9] --grid 1 --out C=c.npy
// run: :int_float A=@i8a.npy B=@i8b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :int_double A=@i8a.npy B=@i8b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :int_char A=@i8a.npy B=@i8b.npy C=new:i8[2,9] --grid 1 --out C=c.npy
// run: :int_uint16_t A=@i8a.npy B=@i8b.npy C=new:u16[2,9] --grid 1 --out C=c.npy
// run: :int_int A=@i8a.npy B=@i8b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :int_long A=@i8a.npy B=@i8b.npy C=new:i64[2,9] --grid 1 --out C=c.npy
// run: :int_bool A=@i8a.npy B=@i8b.npy C=new:bool[2,9] --grid 1 --out C=c.npy
// run: :half_in_double A=@f16a.npy B=@f16b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :bfloat_in_double A=@bf16a.npy B=@bf16b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :float_in_double A=@f32a.npy B=@f32b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :double_in_double A=@f64a.npy B=@f64b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :char_in_double A=@i8a.npy B=@i8b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :uint16_t_in_double A=@u16a.npy B=@u16b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :int_in_double A=@i32a.npy B=@i32b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :long_in_double A=@i64a.npy B=@i64b.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :bool_in_double A=@boola.npy B=@boolb.npy C=new:f64[2,9] --grid 1 --out C=c.npy
// run: :half_in_float A=@f16a.npy B=@f16b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :bfloat_in_float A=@bf16a.npy B=@bf16b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :float_in_float A=@f32a.npy B=@f32b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :double_in_float A=@f64a.npy B=@f64b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :char_in_float A=@i8a.npy B=@i8b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :uint16_t_in_float A=@u16a.npy B=@u16b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :int_in_float A=@i32a.npy B=@i32b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :long_in_float A=@i64a.npy B=@i64b.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :bool_in_float A=@boola.npy B=@boolb.npy C=new:f32[2,9] --grid 1 --out C=c.npy
// run: :half_in_int A=@f16a.npy B=@f16b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :bfloat_in_int A=@bf16a.npy B=@bf16b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :float_in_int A=@f32a.npy B=@f32b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :double_in_int A=@f64a.npy B=@f64b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :char_in_int A=@i8a.npy B=@i8b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :uint16_t_in_int A=@u16a.npy B=@u16b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :int_in_int A=@i32a.npy B=@i32b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :long_in_int A=@i64a.npy B=@i64b.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// run: :bool_in_int A=@boola.npy B=@boolb.npy C=new:i32[2,9] --grid 1 --out C=c.npy
// array f16a.npy f16[2,3]: 1 2 -1 0 -3 4
// array f16b.npy f16[3,9]: 1 0 2 3 1 0 5 4 2 0 1 -1 -2
// array bf16a.npy bf16[2,3]: bits:0x3f80 bits:0x4000 bits:0xbf80 0 bits:0xc040 bits:0x4080
// array bf16b.npy bf16[3,9]: bits:0x3f80 0 bits:0x4000 bits:0x4040 bits:0x3f80 0 bits:0x40a0 bits:0x4080 bits:0x4000 0 bits:0x3f80 bits:0xbf80 bits:0xc000
// array f32a.npy f32[2,3]: 1 2 -1 0 -3 4
// array f32b.npy f32[3,9]: 1 0 2 3 1 0 5 4 2 0 1 -1 -2
// array f64a.npy f64[2,3]: 1 2 -1 0 -3 4
// array f64b.npy f64[3,9]: 1 0 2 3 1 0 5 4 2 0 1 -1 -2
// array i8a.npy i8[2,3]: 1 2 -1 0 -3 4
// array i8b.npy i8[3,9]: 1 0 2 3 1 0 5 4 2 0 1 -1 -2
// array u16a.npy u16[2,3]: 1 2 1 0 3 4
// array u16b.npy u16[3,9]: 1 0 2 3 1 0 5 4 2 0 1 1 2
// array i32a.npy i32[2,3]: 1 2 -1 0 -3 4
// array i32b.npy i32[3,9]: 1 0 2 3 1 0 5 4 2 0 1 -1 -2
// array i64a.npy i64[2,3]: 1 2 -1 0 -3 4
// array i64b.npy i64[3,9]: 1 0 2 3 1 0 5 4 2 0 1 -1 -2
// array boola.npy bool[2,3]: 0 1 0 0 0 1
// array boolb.npy bool[3,9]: 0 0 1 1 0 0 1 1 1 0 0 0 0
#include <tilec/kernel.h>
#define PRODUCT(NAME, LOADED, OPERAND, STORED)                                          \
    kernel void NAME(const LOADED *restrict A, const LOADED *restrict B, STORED *restrict C) \
    {                                                                                        \
        auto a = tile_load(view(A, 2, 3), 0, 0, 2, 3);                                       \
        auto b = tile_load(view(B, 3, 9), 0, 0, 3, 9);                                       \
        auto c = dot(cast(OPERAND, a), cast(OPERAND, b));                                    \
        tile_store(view(C, 2, 9), 0, 0, cast(STORED, c));                                    \
    }
PRODUCT(double_half, double, double, half)
PRODUCT(double_bfloat, double, double, bfloat)
PRODUCT(double_float, double, double, float)
PRODUCT(double_double, double, double, double)
PRODUCT(double_char, double, double, char)
PRODUCT(double_uint16_t, double, double, uint16_t)
PRODUCT(double_int, double, double, int)
PRODUCT(double_long, double, double, long)
PRODUCT(double_bool, double, double, bool)
PRODUCT(float_half, float, float, half)
PRODUCT(float_bfloat, float, float, bfloat)
PRODUCT(float_float, float, float, float)
PRODUCT(float_double, float, float, double)
PRODUCT(float_char, float, float, char)
PRODUCT(float_uint16_t, float, float, uint16_t)
PRODUCT(float_int, float, float, int)
PRODUCT(float_long, float, float, long)
PRODUCT(float_bool, float, float, bool)
PRODUCT(int_half, char, char, half)
PRODUCT(int_bfloat, char, char, bfloat)
PRODUCT(int_float, char, char, float)
PRODUCT(int_double, char, char, double)
PRODUCT(int_char, char, char, char)
PRODUCT(int_uint16_t, char, char, uint16_t)
PRODUCT(int_int, char, char, int)
PRODUCT(int_long, char, char, long)
PRODUCT(int_bool, char, char, bool)
PRODUCT(half_in_double, half, double, double)
PRODUCT(bfloat_in_double, bfloat, double, double)
PRODUCT(float_in_double, float, double, double)
PRODUCT(double_in_double, double, double, double)
PRODUCT(char_in_double, char, double, double)
PRODUCT(uint16_t_in_double, uint16_t, double, double)
PRODUCT(int_in_double, int, double, double)
PRODUCT(long_in_double, long, double, double)
PRODUCT(bool_in_double, bool, double, double)
PRODUCT(half_in_float, half, float, float)
PRODUCT(bfloat_in_float, bfloat, float, float)
PRODUCT(float_in_float, float, float, float)
PRODUCT(double_in_float, double, float, float)
PRODUCT(char_in_float, char, float, float)
PRODUCT(uint16_t_in_float, uint16_t, float, float)
PRODUCT(int_in_float, int, float, float)
PRODUCT(long_in_float, long, float, float)
PRODUCT(bool_in_float, bool, float, float)
PRODUCT(half_in_int, half, char, int)
PRODUCT(bfloat_in_int, bfloat, char, int)
PRODUCT(float_in_int, float, char, int)
PRODUCT(double_in_int, double, char, int)
PRODUCT(char_in_int, char, char, int)
PRODUCT(uint16_t_in_int, uint16_t, char, int)
PRODUCT(int_in_int, int, char, int)
PRODUCT(long_in_int, long, char, int)
PRODUCT(bool_in_int, bool, char, int)
---
run 1
C f16[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 2
C bf16[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 3
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 4
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 5
C i8[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 6
C u16[2,9]
1 0 0 0 3 0 10 12 3
0 17 19 14 0 4 0 0 1
run 7
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 8
C i64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 9
C bool[2,9]
1 1 1 1 1 1 1 1 1
0 1 1 1 1 1 1 1 1
run 10
C f16[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 11
C bf16[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 12
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 13
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 14
C i8[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 15
C u16[2,9]
1 0 0 0 3 0 10 12 3
0 17 19 14 0 4 0 0 1
run 16
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 17
C i64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 18
C bool[2,9]
1 1 1 1 1 1 1 1 1
0 1 1 1 1 1 1 1 1
run 19
C f16[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 20
C bf16[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 21
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 22
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 23
C i8[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 24
C u16[2,9]
1 65533 65532 65533 3 65535 10 12 3
0 17 19 14 65533 4 65526 65519 1
run 25
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 26
C i64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 27
C bool[2,9]
1 1 1 1 1 1 1 1 1
0 1 1 1 1 1 1 1 1
run 28
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 29
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 30
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 31
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 32
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 33
C f64[2,9]
1 7 8 9 3 1 10 12 5
0 23 19 14 3 4 10 17 7
run 34
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 35
C f64[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 36
C f64[2,9]
0 0 0 0 0 0 1 1 0
0 1 1 1 0 0 0 0 0
run 37
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 38
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 39
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 40
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 41
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 42
C f32[2,9]
1 7 8 9 3 1 10 12 5
0 23 19 14 3 4 10 17 7
run 43
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 44
C f32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 45
C f32[2,9]
0 0 0 0 0 0 1 1 0
0 1 1 1 0 0 0 0 0
run 46
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 47
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 48
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 49
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 50
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 51
C i32[2,9]
1 7 8 9 3 1 10 12 5
0 23 19 14 3 4 10 17 7
run 52
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 53
C i32[2,9]
1 -3 -4 -3 3 -1 10 12 3
0 17 19 14 -3 4 -10 -17 1
run 54
C i32[2,9]
0 0 0 0 0 0 1 1 0
0 1 1 1 0 0 0 0 0
