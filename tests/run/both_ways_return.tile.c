// An arm in which every way returns ends the function, also where one return stands behind another
// that may have been taken: nothing behind the arm runs.
// run: :k Y=@y.npy X=@x.npy --grid 4 --out Y=out.npy
// array y.npy i32[24]: 0
// array x.npy i32[8]: 0 0  0 1  9 0  9 1
static int early(int a, int b)
{
    if (a > 5) {
    } else {
        if (b)
            return 1;
        if (1)
            return 2;
    }
    return 3;
}

static int either(int a, int b)
{
    if (a > 5) {
    } else {
        if (b)
            return 1;
        else
            return 2;
    }
    return 3;
}

static int by_cases(int a, int b)
{
    if (a > 5) {
        switch (b) {
        case 1:
            return 1;
        default:
            if (a == 9)
                return 2;
        }
        return 4;
    }
    return 3;
}

kernel void k(int *Y, const int *X)
{
    int a = X[program_id(0) * 2], b = X[program_id(0) * 2 + 1];
    int *at = Y + program_id(0) * 6;
    at[0] = early(a, b);
    at[1] = either(a, b);
    at[2] = by_cases(a, b);
    if (a > 5) {
        at[3] = 1;
    } else {
        if (b)
            return;
        at[4] = 1;
        if (1)
            return;
    }
    at[5] = 1;
}
---
run 1
Y i32[24]
2 2 3 0 1 0 1 1 3 0 0 0 3 3 2 1 0 1 3 3 1 1 0 1
