// Names that differ in capitals alone, however short.
kernel void k(const float *X, float *Out, int N, constexpr int TILE)
{
    int i = arange(0, 8);
    float x = load(X + i, i < n);
    float y = load(x + i, I < N);
    float z = zeros(float, tile, Tile);
}
---
other_case.tile.c:5:31: error: unknown name 'n'
    float x = load(X + i, i < n);
                              ^
hint: did you mean 'N'?
other_case.tile.c:6:27: error: unknown name 'I'
    float y = load(x + i, I < N);
                          ^
hint: did you mean 'i'?
other_case.tile.c:7:28: error: unknown name 'tile'
    float z = zeros(float, tile, Tile);
                           ^~~~
hint: did you mean 'TILE'?
other_case.tile.c:7:34: error: unknown name 'Tile'
    float z = zeros(float, tile, Tile);
                                 ^~~~
hint: did you mean 'TILE'?
other_case.tile.c:2:64: error: the constexpr parameter 'TILE' has no value
kernel void k(const float *X, float *Out, int N, constexpr int TILE)
                                                               ^~~~
hint: give it with -D TILE=..., or list its values with tune
