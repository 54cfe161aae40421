// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int x = 1;
    float x = 2;
    {
        int x = 3;
    }
    int n = 4;
}
---
declared_twice.tile.c:5:11: error: 'x' is declared twice
    float x = 2;
          ^
declared_twice.tile.c:4:9: note: 'x' is declared here first
    int x = 1;
        ^
declared_twice.tile.c:9:9: error: 'n' is declared twice
    int n = 4;
        ^
declared_twice.tile.c:2:47: note: 'n' is declared here first
kernel void k(const float *X, float *Out, int n, constexpr int B)
                                              ^
