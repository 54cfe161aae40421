// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    for (int j = 0; j < n; j++) {
        store(Out + j, 1);
        j = j + 1;
        j++;
    }
}
---
counter_assigned.tile.c:6:9: error: the counter 'j' of a 'for' loop cannot be assigned
        j = j + 1;
        ^
hint: a 'while' loop may change its variables as it likes
counter_assigned.tile.c:7:9: error: the counter 'j' of a 'for' loop cannot be assigned
        j++;
        ^
hint: a 'while' loop may change its variables as it likes
