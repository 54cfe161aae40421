// Each macro is eight times as long as the one before.
#define A n++;
#define B A A A A A A A A
#define C B B B B B B B B
#define D C C C C C C C C
#define E D D D D D D D D
#define F E E E E E E E E
#define G F F F F F F F F
#define H G G G G G G G G
kernel void k(int n)
{
    H
}
---
macro_growth.tile.c:12:5: error: macro 'A' expands to too much
    H
    ^
hint: macros may handle 1048576 tokens in all
macro_growth.tile.c:9:9: note: expanded from macro 'H'
#define H G G G G G G G G
        ^
