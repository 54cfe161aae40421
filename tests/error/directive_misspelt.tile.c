#Define N 4
---
directive_misspelt.tile.c:1:2: error: unknown directive '#Define'
#Define N 4
 ^~~~~~
hint: did you mean '#define'?
