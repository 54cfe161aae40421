kernel void a(float *X, int n)
{
    if (n = 3)
        store(X, 1);
    while (n -= 1)
        store(X, 2);
}
---
assigned_condition.tile.c:3:11: error: an assignment stands as a condition
    if (n = 3)
          ^
hint: compare with '=='
assigned_condition.tile.c:5:14: error: an assignment stands as a condition
    while (n -= 1)
             ^~
hint: assign in front of it
