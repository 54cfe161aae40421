// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = load();
    float b = load(n);
    float c = load(X, X);
    float d = load(X, n > 1, X);
    float e = load(X, true, 1, 2);
    float f = load(X, .mask = true);
    float g = load(float);
}
---
load_arguments.tile.c:4:15: error: 'p' of 'load' is missing
    float a = load();
              ^~~~~~
hint: load(pointer p, condition mask = true, number other = 0)
load_arguments.tile.c:5:20: error: 'p' of 'load' must be a pointer, not 'int'
    float b = load(n);
                   ^
hint: an address is a pointer and an offset: X + i, where X is a parameter 'float *X'
load_arguments.tile.c:6:23: error: 'mask' of 'load' must be a condition, not 'const float *'
    float c = load(X, X);
                      ^
hint: load(pointer, mask) reads what a pointer points to
load_arguments.tile.c:7:30: error: 'other' of 'load' must be a number, not 'const float *'
    float d = load(X, n > 1, X);
                             ^
hint: load(pointer, mask) reads what a pointer points to
load_arguments.tile.c:8:32: error: too many arguments for 'load'
    float e = load(X, true, 1, 2);
                               ^
hint: load(pointer p, condition mask = true, number other = 0)
load_arguments.tile.c:9:23: error: 'load' has no parameter that is named '.mask'
    float f = load(X, .mask = true);
                      ^~~~~~~~~~~~
hint: load(pointer p, condition mask = true, number other = 0)
load_arguments.tile.c:10:20: error: 'p' of 'load' must be a value, not a type
    float g = load(float);
                   ^~~~~
