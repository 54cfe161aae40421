// Programs count along those axes of the grid alone that a kernel asks for: also where a thread's first program
// lies in the middle, and where the others are longer than one.
// run: :none A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :x A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :y A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :z A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :xy A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :xz A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :yz A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :xyz A=@a.npy --grid 3,5,2 --threads 7 --out A=o.npy
// run: :none A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :x A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :y A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :z A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :xy A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :xz A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :yz A=@a.npy --grid 2,1,3 --out A=o.npy
// run: :xyz A=@a.npy --grid 2,1,3 --out A=o.npy
// array a.npy i32[32]: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void none(int *A)
{
    atomic_add(A + 0, 1);
}
kernel void x(int *A)
{
    atomic_add(A + program_id(0), 1);
}
kernel void y(int *A)
{
    atomic_add(A + program_id(1), 1);
}
kernel void z(int *A)
{
    atomic_add(A + program_id(2), 1);
}
kernel void xy(int *A)
{
    atomic_add(A + program_id(0) + 3 * program_id(1), 1);
}
kernel void xz(int *A)
{
    atomic_add(A + program_id(0) + 3 * program_id(2), 1);
}
kernel void yz(int *A)
{
    atomic_add(A + program_id(1) + 5 * program_id(2), 1);
}
kernel void xyz(int *A)
{
    atomic_add(A + program_id(0) + 3 * (program_id(1) + 5 * program_id(2)), 1);
}
---
run 1
A i32[32]
30 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 2
A i32[32]
10 10 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 3
A i32[32]
6 6 6 6 6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 4
A i32[32]
15 15 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 5
A i32[32]
2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 6
A i32[32]
5 5 5 5 5 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 7
A i32[32]
3 3 3 3 3 3 3 3 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 8
A i32[32]
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0
run 9
A i32[32]
6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 10
A i32[32]
3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 11
A i32[32]
6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 12
A i32[32]
2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 13
A i32[32]
3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 14
A i32[32]
1 1 0 1 1 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 15
A i32[32]
2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 16
A i32[32]
1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1
