// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x0 = X[0] % 1;
    float x1 = X[0] % 2;
    float x2 = X[0] % 3;
    float x3 = X[0] % 4;
    float x4 = X[0] % 5;
    float x5 = X[0] % 6;
    float x6 = X[0] % 7;
    float x7 = X[0] % 8;
    float x8 = X[0] % 9;
    float x9 = X[0] % 10;
    float x10 = X[0] % 11;
    float x11 = X[0] % 12;
    float x12 = X[0] % 13;
    float x13 = X[0] % 14;
    float x14 = X[0] % 15;
    float x15 = X[0] % 16;
    float x16 = X[0] % 17;
    float x17 = X[0] % 18;
    float x18 = X[0] % 19;
    float x19 = X[0] % 20;
    float x20 = X[0] % 21;
    float x21 = X[0] % 22;
    float x22 = X[0] % 23;
    float x23 = X[0] % 24;
    float x24 = X[0] % 25;
}
---
many_errors.tile.c:4:21: error: '%' takes integers, not 'float'
    float x0 = X[0] % 1;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:5:21: error: '%' takes integers, not 'float'
    float x1 = X[0] % 2;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:6:21: error: '%' takes integers, not 'float'
    float x2 = X[0] % 3;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:7:21: error: '%' takes integers, not 'float'
    float x3 = X[0] % 4;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:8:21: error: '%' takes integers, not 'float'
    float x4 = X[0] % 5;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:9:21: error: '%' takes integers, not 'float'
    float x5 = X[0] % 6;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:10:21: error: '%' takes integers, not 'float'
    float x6 = X[0] % 7;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:11:21: error: '%' takes integers, not 'float'
    float x7 = X[0] % 8;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:12:21: error: '%' takes integers, not 'float'
    float x8 = X[0] % 9;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:13:21: error: '%' takes integers, not 'float'
    float x9 = X[0] % 10;
                    ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:14:22: error: '%' takes integers, not 'float'
    float x10 = X[0] % 11;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:15:22: error: '%' takes integers, not 'float'
    float x11 = X[0] % 12;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:16:22: error: '%' takes integers, not 'float'
    float x12 = X[0] % 13;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:17:22: error: '%' takes integers, not 'float'
    float x13 = X[0] % 14;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:18:22: error: '%' takes integers, not 'float'
    float x14 = X[0] % 15;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:19:22: error: '%' takes integers, not 'float'
    float x15 = X[0] % 16;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:20:22: error: '%' takes integers, not 'float'
    float x16 = X[0] % 17;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:21:22: error: '%' takes integers, not 'float'
    float x17 = X[0] % 18;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:22:22: error: '%' takes integers, not 'float'
    float x18 = X[0] % 19;
                     ^
hint: fmod(x, y) is the remainder of floats
many_errors.tile.c:23:22: error: '%' takes integers, not 'float'
    float x19 = X[0] % 20;
                     ^
hint: fmod(x, y) is the remainder of floats
