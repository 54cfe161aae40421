"""
A module's text
"""
import triton
---
python_text.tile.c:1:1: error: '"""' is Python's, and kernel files are C
"""
^~
hint: a Triton kernel is written anew in C: docs/from-triton.md lists what stands for what
