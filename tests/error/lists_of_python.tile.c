// Lists of sizes, infinity of a text, methods, grouped digits, signs of other languages.
kernel void k(float *Out, int n)
{
    float a = zeros([16, 16], float);
    float b = broadcast_to(1.0f, [4, 64]);
    auto f = [](float x) { return x; };
    float c = float("-inf");
    float d = double('nan');
    float e = Out.sum();
    float g = a.max(axis(0));
    int h = 1_000;
    if (n === 1)
        h = 2;
    if (n !== 1)
        h = 3;
    int t = triton.cdiv(n, 4);
    #pragma unroll
    for (int i = 0; i < 4; i++)
        h += i;
    #pragma omp parallel for
    for (int i = 0; i < 4; i++)
        h += i;
    float *p = n > 3 ? Out : Out + 1;
    float q = k;
}
---
lists_of_python.tile.c:4:21: error: lists and lambdas are not supported in kernels
    float a = zeros([16, 16], float);
                    ^
hint: sizes and indices are arguments of their own: f(a, b), not f([a, b])
lists_of_python.tile.c:5:34: error: lists and lambdas are not supported in kernels
    float b = broadcast_to(1.0f, [4, 64]);
                                 ^
hint: sizes and indices are arguments of their own: f(a, b), not f([a, b])
lists_of_python.tile.c:6:14: error: lists and lambdas are not supported in kernels
    auto f = [](float x) { return x; };
             ^
hint: zeros, full and arange make a tile; a function is a static helper
lists_of_python.tile.c:7:15: error: a type cannot be called
    float c = float("-inf");
              ^~~~~
hint: infinity is written INFINITY, a NaN is written NAN
lists_of_python.tile.c:8:15: error: a type cannot be called
    float d = double('nan');
              ^~~~~~
hint: infinity is written INFINITY, a NaN is written NAN
lists_of_python.tile.c:9:18: error: values have no members: structs are not supported in kernels
    float e = Out.sum();
                 ^
hint: built-ins take their operands as arguments: sum(...)
lists_of_python.tile.c:10:16: error: values have no members: structs are not supported in kernels
    float g = a.max(axis(0));
               ^
hint: built-ins take their operands as arguments: max(...)
lists_of_python.tile.c:11:13: error: this is not a number
    int h = 1_000;
            ^~~~~
hint: digits are grouped by ''': 1'000
lists_of_python.tile.c:12:11: error: '===' is no operator
    if (n === 1)
          ^~~
hint: write '=='
lists_of_python.tile.c:14:11: error: '!==' is no operator
    if (n !== 1)
          ^~~
hint: write '!='
lists_of_python.tile.c:16:19: error: values have no members: structs are not supported in kernels
    int t = triton.cdiv(n, 4);
                  ^
hint: built-ins have no prefix: cdiv, load, arange
lists_of_python.tile.c:17:13: warning: this #pragma has no effect
    #pragma unroll
            ^~~~~~
hint: leave it out: how loops are unrolled is chosen when code is made
lists_of_python.tile.c:20:13: warning: this #pragma has no effect
    #pragma omp parallel for
            ^~~
hint: leave it out: the programs of a launch run on all cores
lists_of_python.tile.c:23:16: error: both sides must be numbers; these are 'float *' and 'float *'
    float *p = n > 3 ? Out : Out + 1;
               ^~~~~~~~~~~~~~~~~~~~~
hint: choose the offset of one pointer, or load from each in a branch of an 'if'
