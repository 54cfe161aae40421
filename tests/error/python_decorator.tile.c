@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
---
python_decorator.tile.c:1:1: error: '@' is Python's, and kernel files are C
@triton.jit
^
hint: a Triton kernel is written anew in C: docs/from-triton.md lists what stands for what
