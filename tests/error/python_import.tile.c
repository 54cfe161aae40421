import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)  # a block's
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
---
python_import.tile.c:1:1: error: 'import' is Python's, and kernel files are C
import triton
^~~~~~
hint: a Triton kernel is written anew in C: docs/from-triton.md lists what stands for what
