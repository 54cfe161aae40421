// What the parameters of a kernel may be.
kernel void k(auto a, view_t v, layout_t L, constexpr float f, constexpr float *p)
{
}
---
kernel_parameters.tile.c:2:20: error: parameter 'a' of a kernel needs an element type
kernel void k(auto a, view_t v, layout_t L, constexpr float f, constexpr float *p)
                   ^
hint: a view is made in the kernel from its pointer
kernel_parameters.tile.c:2:30: error: parameter 'v' of a kernel needs an element type
kernel void k(auto a, view_t v, layout_t L, constexpr float f, constexpr float *p)
                             ^
hint: a view is made in the kernel from its pointer
kernel_parameters.tile.c:2:42: error: layout 'L' must be constexpr
kernel void k(auto a, view_t v, layout_t L, constexpr float f, constexpr float *p)
                                         ^
hint: write 'constexpr layout_t L'
kernel_parameters.tile.c:2:61: error: constexpr parameter 'f' must be an integer
kernel void k(auto a, view_t v, layout_t L, constexpr float f, constexpr float *p)
                                                            ^
hint: pass it as an ordinary parameter, or use #define
kernel_parameters.tile.c:2:81: error: pointer 'p' cannot be constexpr
kernel void k(auto a, view_t v, layout_t L, constexpr float f, constexpr float *p)
                                                                                ^
