#import "x"
---
directive_unknown.tile.c:1:2: error: '#import' is not supported in kernels
#import "x"
 ^~~~~~
hint: write '#include', and '#pragma once' at the top of included files
