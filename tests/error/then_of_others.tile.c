// 'then' behind a condition is one mistake; it may be a variable that is assigned to.
kernel void k(float *Out, int n)
{
    int then = 0;
    if (n > 3)
        then = 3;
    if (n > 0) then
        store(Out, n);
    if (n > 1) then store(Out, 1.0f); else store(Out, 2.0f);
    if (n > 2) then {
        store(Out, then);
    }
}
---
then_of_others.tile.c:7:16: error: 'then' is no word of C
    if (n > 0) then
               ^~~~
hint: write 'if (condition) { ... } else { ... }'
then_of_others.tile.c:9:16: error: 'then' is no word of C
    if (n > 1) then store(Out, 1.0f); else store(Out, 2.0f);
               ^~~~
hint: write 'if (condition) { ... } else { ... }'
then_of_others.tile.c:10:16: error: 'then' is no word of C
    if (n > 2) then {
               ^~~~
hint: write 'if (condition) { ... } else { ... }'
