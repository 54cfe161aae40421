// Atomics give the old values; a mask is the last argument.
kernel void k(int *Count, float *F, uint32_t *U, int n)
{
    int i = arange(0, 4);
    int old = atomic_add(Count + i, 1, i < n);
    atomic_max(F + i, 2.5f);
    atomic_min(Count, n);
    atomic_xchg(U, old, i > 1);
    atomic_cas(U + i, 0, i, i < n);
}
---
func @k(%Count: ptr<i32>, %F: ptr<f32>, %U: ptr<u32>, %n: i32) {
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
  %16 = broadcast %U : ptr<u32>[4]
  %17 = addptr %16, %i : ptr<u32>[4]
  %18 = broadcast %n.1 : i64[4]
  %19 = lt %i, %18 : bool[4]
  %20 = cast %i : u32[4]
  %21 = constant {0} : u32[4]
  %22 = atomic_cas %17, %21, %20, %19 : u32[4]
  return
}
