// What an ordinary parameter lacks where a constant must stand; a variable, a float and a helper's parameter get no such hint.
// args: -D TILE=8
static float helper(int n)
{
    return sum(zeros(float, n));
}
kernel void k(const float *X, float *Out, int N, int Block, unsigned m, float scale, constexpr int TILE)
{
    int i = program_id(0) * Block + arange(0, Block);
    float z = zeros(float, TILE, cdiv(m, 2) + 1);
    constexpr float w = scale;
    constexpr int v = TILE * -N;
    float u = zeros(float, TILE, cast(int, scale));
    int local = N;
    float t = zeros(float, local);
    store(Out, helper(N) + helper(TILE));
}
---
ordinary_parameter.tile.c:9:47: error: 'end' of 'arange' must be an integer known at compile time
    int i = program_id(0) * Block + arange(0, Block);
                                              ^~~~~
hint: declare the parameter 'constexpr int Block', or use literals and constexpr names
ordinary_parameter.tile.c:10:34: error: 'sizes' of 'zeros' must be an integer known at compile time
    float z = zeros(float, TILE, cdiv(m, 2) + 1);
                                 ^~~~~~~~~~~~~~
hint: declare the parameter 'constexpr unsigned int m', or use literals and constexpr names
ordinary_parameter.tile.c:11:25: error: 'w' is constexpr, and this value is not known at compile time
    constexpr float w = scale;
                        ^~~~~
hint: use literals and constexpr names in it
ordinary_parameter.tile.c:12:23: error: 'v' is constexpr, and this value is not known at compile time
    constexpr int v = TILE * -N;
                      ^~~~~~~~~
hint: declare the parameter 'constexpr int N', or use literals and constexpr names
ordinary_parameter.tile.c:13:34: error: 'sizes' of 'zeros' must be an integer known at compile time
    float u = zeros(float, TILE, cast(int, scale));
                                 ^~~~~~~~~~~~~~~~
hint: use literals and constexpr names in it
ordinary_parameter.tile.c:15:28: error: 'sizes' of 'zeros' must be an integer known at compile time
    float t = zeros(float, local);
                           ^~~~~
hint: use literals and constexpr names in it
ordinary_parameter.tile.c:5:29: error: 'sizes' of 'zeros' must be an integer known at compile time
    return sum(zeros(float, n));
                            ^
hint: use literals and constexpr names in it
ordinary_parameter.tile.c:16:16: note: 'helper' is called here
    store(Out, helper(N) + helper(TILE));
               ^~~~~~~~~
