// Atomics give the old values; a mask is the last argument.
kernel void k(int *Count, float *F, uint32_t *U, bool *B, int n)
{
    int i = arange(0, 4);
    int old = atomic_add(Count + i, 1, i < n);
    atomic_max(F + i, 2.5f);
    atomic_min(Count, n);
    atomic_xchg(U, old, i > 1);
    atomic_and(U, 5 + i);
    atomic_xor(U + i, atomic_or(U, 1), i < n);
    atomic_or(B, load(Count + i) > 3);
    atomic_cas(U + i, 0, i, i < n);
}
---
func @k(%Count: ptr<i32>, %F: ptr<f32>, %U: ptr<u32>, %B: ptr<bool>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 4} : i64[4]
  %0 = broadcast %Count : ptr<i32>[4]
  %1 = addptr %0, %i : ptr<i32>[4]
  %2 = broadcast %n.1 : i64[4]
  %3 = lt %i, %2 : bool[4]
  %4 = constant {1} : i32[4]
  %old = atomic_add %1, %4, %3 : i32[4]
  %5 = broadcast %F : ptr<f32>[4]
  %6 = addptr %5, %i : ptr<f32>[4]
  %7 = constant {2.5} : f32[4]
  %8 = atomic_max %6, %7 : f32[4]
  %9 = cast %n.1 : i32
  %10 = atomic_min %Count, %9 : i32
  %11 = constant {1} : i64[4]
  %12 = gt %i, %11 : bool[4]
  %13 = cast %old : u32[4]
  %14 = broadcast %U : ptr<u32>[4]
  %15 = atomic_xchg %14, %13, %12 : u32[4]
  %16 = constant {5} : i64[4]
  %17 = add %16, %i : i64[4]
  %18 = cast %17 : u32[4]
  %19 = broadcast %U : ptr<u32>[4]
  %20 = atomic_and %19, %18 : u32[4]
  %21 = broadcast %U : ptr<u32>[4]
  %22 = addptr %21, %i : ptr<u32>[4]
  %23 = constant {1} : u32
  %24 = atomic_or %U, %23 : u32
  %25 = broadcast %n.1 : i64[4]
  %26 = lt %i, %25 : bool[4]
  %27 = broadcast %24 : u32[4]
  %28 = atomic_xor %22, %27, %26 : u32[4]
  %29 = broadcast %Count : ptr<i32>[4]
  %30 = addptr %29, %i : ptr<i32>[4]
  %31 = load %30 : i32[4]
  %32 = constant {3} : i32[4]
  %33 = gt %31, %32 : bool[4]
  %34 = broadcast %B : ptr<bool>[4]
  %35 = atomic_or %34, %33 : bool[4]
  %36 = broadcast %U : ptr<u32>[4]
  %37 = addptr %36, %i : ptr<u32>[4]
  %38 = broadcast %n.1 : i64[4]
  %39 = lt %i, %38 : bool[4]
  %40 = cast %i : u32[4]
  %41 = constant {0} : u32[4]
  %42 = atomic_cas %37, %41, %40, %39 : u32[4]
  return
}
