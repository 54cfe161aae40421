// What is written for '=' where a variable is declared, and loops over lists.
kernel void k(float *Out, int n)
{
    int a == 3;
    int b := 4;
    for (int i in range(n))
        store(Out + i, 0.0f);
    store(Out, a + b);
}
---
no_first_value.tile.c:4:11: error: '==' gives a variable no value
    int a == 3;
          ^~
hint: write '='
no_first_value.tile.c:5:11: error: ':=' gives a variable no value
    int b := 4;
          ^
hint: write '='
no_first_value.tile.c:6:16: error: 'in' is no word of C
    for (int i in range(n))
               ^~
hint: write 'for (int i = first; i < last; i += step)'
