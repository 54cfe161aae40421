// What CUDA, C++ and ISPC write behind a name, and in front of a block.
kernel void k(const float *X, float *Out, int n)
{
    float a = static_cast<float>(n);
    int b = reinterpret_cast<int>(X[0]);
    float c = std::exp(a);
    f<<<1, 256>>>(X);
    cif (a > 0) {
        c = 1;
    }
    cwhile (a > 0)
    {
        c = 2;
    }
    until (a > 0) {
        c = 3;
    }
    a, c = split(X[0]);
    load(X)
    {
        c = 4;
    }
    for (int i = 0; i < n; i++)
        if (X[i] < 0)
            goto done;
done:
    dim3 d;
    std::sort(X);
    i: int = 3;
    store(Out, c);
end:
}
using namespace std;
---
from_cuda_and_cpp.tile.c:4:15: error: 'static_cast' is C++'s
    float a = static_cast<float>(n);
              ^~~~~~~~~~~
hint: a conversion is written '(int)x'; bitcast(int, x) keeps the bits
from_cuda_and_cpp.tile.c:5:13: error: 'reinterpret_cast' is C++'s
    int b = reinterpret_cast<int>(X[0]);
            ^~~~~~~~~~~~~~~~
hint: a conversion is written '(int)x'; bitcast(int, x) keeps the bits
from_cuda_and_cpp.tile.c:6:18: error: '::' is C++'s
    float c = std::exp(a);
                 ^
hint: built-ins have no prefix: exp, maximum, load
from_cuda_and_cpp.tile.c:7:6: error: kernels are not launched from a kernel file
    f<<<1, 256>>>(X);
     ^~
hint: launch_grid(KERNEL, x, y, z) says how many programs run; 'tilec run' or a C program launches them
from_cuda_and_cpp.tile.c:8:5: error: 'cif' is no statement of C
    cif (a > 0) {
    ^~~
hint: every 'if' decides for the whole program: write 'if', or where(c, x, y) for tiles
from_cuda_and_cpp.tile.c:11:5: error: 'cwhile' is no statement of C
    cwhile (a > 0)
    ^~~~~~
hint: write 'while': every loop is the whole program's
from_cuda_and_cpp.tile.c:15:5: error: 'until' is no statement of C
    until (a > 0) {
    ^~~~~
from_cuda_and_cpp.tile.c:18:6: error: the comma operator is not supported in kernels
    a, c = split(X[0]);
     ^
hint: a function gives one value: 'a = split(x, 0); b = split(x, 1);'
from_cuda_and_cpp.tile.c:19:12: error: expected ';' behind the expression
    load(X)
           ^
from_cuda_and_cpp.tile.c:25:13: error: 'goto' is not supported in kernels
            goto done;
            ^~~~
hint: use if, while, break and continue
from_cuda_and_cpp.tile.c:26:1: error: labels are not supported in kernels
done:
^~~~
hint: use if, while, break and continue
from_cuda_and_cpp.tile.c:27:5: error: unknown type 'dim3'
    dim3 d;
    ^~~~
hint: a grid is three sizes of launch_grid: program_id(0), program_id(1), program_id(2)
from_cuda_and_cpp.tile.c:28:8: error: '::' is C++'s
    std::sort(X);
       ^
hint: built-ins have no prefix: exp, maximum, load
from_cuda_and_cpp.tile.c:29:5: error: labels are not supported in kernels
    i: int = 3;
    ^
hint: a variable is declared 'int i = value;'
from_cuda_and_cpp.tile.c:31:1: error: labels are not supported in kernels
end:
^~~
hint: use if, while, break and continue
from_cuda_and_cpp.tile.c:33:1: error: unknown type 'using'
using namespace std;
^~~~~
hint: '#define NAME type' names a type; built-ins have no prefix
