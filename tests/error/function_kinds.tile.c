// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = exp(X);
    bool b = isnan(n);
    int c = cdiv(1.5f, 2);
    float d = bitcast(half, 1.0f);
    float e = cast(4, n);
    float f = exp();
    float g = exp(1, 2);
    float h = exp(float);
}
---
function_kinds.tile.c:4:19: error: 'x' of 'exp' must be a number, not 'const float *'
    float a = exp(X);
                  ^
hint: load(pointer, mask) reads what a pointer points to
function_kinds.tile.c:5:20: error: 'isnan' takes a floating value, not 'int'
    bool b = isnan(n);
                   ^
function_kinds.tile.c:6:18: error: 'a' of 'cdiv' must be an integer, not 'float'
    int c = cdiv(1.5f, 2);
                 ^~~~
function_kinds.tile.c:7:15: error: bitcast keeps the size, and 'float' has 32 bits, 'half' has 16
    float d = bitcast(half, 1.0f);
              ^~~~~~~~~~~~~~~~~~~
hint: cast(type, x) converts the value
function_kinds.tile.c:8:20: error: 'type' of 'cast' must be an element type, such as float
    float e = cast(4, n);
                   ^
hint: write cast(float, ...)
function_kinds.tile.c:9:15: error: 'x' of 'exp' is missing
    float f = exp();
              ^~~~~
hint: exp(float x)
function_kinds.tile.c:10:22: error: too many arguments for 'exp'
    float g = exp(1, 2);
                     ^
hint: exp(float x)
function_kinds.tile.c:11:19: error: 'x' of 'exp' must be a value, not a type
    float h = exp(float);
                  ^~~~~
