// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int a = program_id(3);
    int b = program_id(n);
    int c = num_programs(-1);
}
---
program_id_axis.tile.c:4:24: error: a grid has the axes 0, 1 and 2, not 3
    int a = program_id(3);
                       ^
program_id_axis.tile.c:5:24: error: 'axis' of 'program_id' must be an integer known at compile time
    int b = program_id(n);
                       ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
program_id_axis.tile.c:6:26: error: a grid has the axes 0, 1 and 2, not -1
    int c = num_programs(-1);
                         ^~
