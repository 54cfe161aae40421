#import "x"
---
directive_unknown.tile.c:1:2: error: unknown directive '#import'
#import "x"
 ^~~~~~
