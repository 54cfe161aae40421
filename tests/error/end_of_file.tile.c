kernel void k(int n)
{
    n = 1;
---
end_of_file.tile.c:3:11: error: unexpected end of the file, expected '}'
    n = 1;
          ^
end_of_file.tile.c:2:1: note: to match this '{'
{
^
