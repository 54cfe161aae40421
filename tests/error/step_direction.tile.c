// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    for (int j = 0; j < n; j--)
        store(Out + j, 1);
    for (int j = n; j > 0; j++)
        store(Out + j, 1);
}
---
step_direction.tile.c:4:28: error: the counter 'j' moves away from its bound
    for (int j = 0; j < n; j--)
                           ^~~
hint: a loop with '<' counts up: use '++', or '+=' and a positive step
step_direction.tile.c:6:28: error: the counter 'j' moves away from its bound
    for (int j = n; j > 0; j++)
                           ^~~
hint: a loop with '>' counts down: use '--', or '-=' and a positive step
