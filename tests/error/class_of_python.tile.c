// Python's class ends its line in a colon.
class Model(nn.Module):  # whole
    pass
---
class_of_python.tile.c:2:1: error: 'class' is Python's, and kernel files are C
class Model(nn.Module):  # whole
^~~~~
hint: a Triton kernel is written anew in C: docs/from-triton.md lists what stands for what
