// Lines at file scope, as the tree shows them; macros are gone.
// args: --stage ast -D SCALE=3 -D BLOCK=64
#define GRID(kernel, n) launch_grid(kernel, cdiv(n, BLOCK))
#define JOIN(a, b) a##b
#if BLOCK == 64 && defined(SCALE)
constexpr int N = SCALE * 2, M = INT8_MAX;
#else
#error this cannot be
#endif
constexpr layout_t L = layout(2, 1, 0, .xor_mask = 3, .per_thread = 2);
GRID(JOIN(sca, le), n);
tune(scale, BLOCK, 64, N * 32);
tune(scale, threads, 128, 256);
require(scale, vector_width = 4, backend = mma);
launch_require(scale, n % 4 == 0 && n > 0, "n is a multiple of \"4\"");
static_require(N < M, "N is small");
kernel void scale(float *X, int n, constexpr int BLOCK, constexpr bool FAST, constexpr layout_t K)
{
}
---
constexpr i32 N = (3:i32 * 2:i32)
constexpr i32 M = 127:i32
constexpr layout L = layout(2:i32, 1:i32, 0:i32, .xor_mask = 3:i32, .per_thread = 2:i32)
launch_grid scale: cdiv(n, BLOCK)
tune scale BLOCK: 64:i32, (N * 32:i32)
tune scale threads: 128:i32, 256:i32
require scale: .vector_width = 4:i32, .backend = mma
launch_require scale: (((n % 4:i32) == 0:i32) && (n > 0:i32)), "n is a multiple of \"4\""
static_require: (N < M), "N is small"
kernel void scale(f32* X, i32 n, constexpr i32 BLOCK, constexpr bool FAST, constexpr layout K)
