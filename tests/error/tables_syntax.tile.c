// Declarations of arrays that are no tables, one error each.
float variable[2] = {1, 2};
const float open[2];
const float axes[2][2] = {1, 2, 3, 4};
const float nested[2] = {{1}, {2}};
const float named[2] = {.x = 1};
const float *pointers[2] = {1, 2};
const auto some[2] = {1, 2};
const char text[] = "ab";
const float comma[2] = {1 2};
kernel void parameter(const float parameter[2], float *X)
{
}
kernel void k(float *X, int n)
{
    float local[2] = {1, 2};
    static float kept[2] = {1, 2};
    float list = {1};
    const float unclosed[2] = {1, 2;
    store(X, 1.0f);
}
---
