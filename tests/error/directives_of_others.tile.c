// Directives of C that kernels do without, and words that are nearly one. Each stops the reading, but those
// of -D WHICH.
// args: -D WHICH=0
#if WHICH == 1
#line 7 "other.c"
#elseif WHICH == 2
#embed "table.bin"
#endif
#if 1
#else if WHICH
#endif
---
directives_of_others.tile.c:6:2: warning: '#elseif' is no directive and is skipped
#elseif WHICH == 2
 ^~~~~~
hint: did you mean '#elif'?
directives_of_others.tile.c:10:7: error: unexpected text behind #else
#else if WHICH
      ^~
hint: 'else if' is written '#elif'
