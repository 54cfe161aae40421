static float twice(float x);
static float thrice(float x);

kernel void a(float *Out)
{
    store(Out, twice(1) + thrice(2));
}

static float thrice(float x)
{
    return 3 * x;
}
---
helper_without_body.tile.c:6:16: error: 'twice' has no body
    store(Out, twice(1) + thrice(2));
               ^~~~~
helper_without_body.tile.c:1:14: note: 'twice' is declared here
static float twice(float x);
             ^~~~~
