#if __has_include(<math.h>)
#endif
---
predefined_names.tile.c:1:5: error: '__has_include' is not supported in kernels
#if __has_include(<math.h>)
    ^~~~~~~~~~~~~
