// Names that are no macros are 0, those of types with a warning. A backslash ends a comment's line.
// args: -D T=half
#if T == float // C:\
#error this is a part of the comment
#error and this is not
#endif
---
condition_type.tile.c:3:5: warning: the type 'half' is a 0 in a condition
#if T == float // C:\
    ^
hint: numbers can be compared: '-D WIDE=1' and '#if WIDE'
condition_type.tile.c:3:21: warning: the '\' at the end of this comment makes the next line a part of it
#if T == float // C:\
                    ^
hint: write something behind it, as '.'
condition_type.tile.c:5:2: error: #error and this is not
#error and this is not
 ^~~~~
