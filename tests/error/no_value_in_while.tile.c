// A variable without a value is one mistake, however often the loop names it.
kernel void k(int *X, int n)
{
    int i;
    while (i < n)
        i++;
    store(X, i);
    int j;
    do
        j++;
    while (j < n);
    int m;
    for (; m < n; m++)
        store(X, 1);
    {
        int i;
        store(X, i + i);
    }
    int c = n > 1 ? 1 : i;
}
---
no_value_in_while.tile.c:5:12: error: 'i' is used where it may have no value yet
    while (i < n)
           ^
hint: give 'i' a value where it is declared
no_value_in_while.tile.c:10:9: error: 'j' is used where it may have no value yet
        j++;
        ^
hint: give 'j' a value where it is declared
no_value_in_while.tile.c:13:12: error: 'm' is used where it may have no value yet
    for (; m < n; m++)
           ^
hint: give 'm' a value where it is declared
no_value_in_while.tile.c:17:18: error: 'i' is used where it may have no value yet
        store(X, i + i);
                 ^
hint: give 'i' a value where it is declared
