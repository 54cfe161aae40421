// A type behind the parameters is C++'s: one error says where it belongs.
static auto half_of(float x) -> float
{
    return x / 2;
}
kernel auto k(float *Out) -> void
{
    store(Out, half_of(1.0f));
}
---
trailing_result.tile.c:2:30: error: a function's type stands in front of its name
static auto half_of(float x) -> float
                             ^~
hint: write 'static float NAME(parameters)'
trailing_result.tile.c:6:27: error: a function's type stands in front of its name
kernel auto k(float *Out) -> void
                          ^~
hint: write 'kernel void NAME(parameters)'
