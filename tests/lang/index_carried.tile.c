// An int that meets an index in a loop is an index from the start; p and q are exact, r is C's int.
kernel void k(const int *P, int *Out, int n)
{
    int p = 0;
    int q = 0;
    int r = 0;
    for (int i = 0; i < n; i++) {
        p += i;
        if (i > 3)
            q = i;
        r += P[i];
    }
    store(Out + p, q + r);
}
---
func @k(%P: const ptr<i32>, %Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %p = constant {0} : i32
  %q = constant {0} : i32
  %r = constant {0} : i32
  %0 = constant {0} : i64
  %1 = constant {1} : i64
  %2 = cast %p : i64
  %3 = cast %q : i64
  %p.1, %q.1, %r.1 = for %i = %0 to %n.1 step %1 carry (%p.2 = %2, %q.2 = %3, %r.2 = %r) : (i64, i64, i32) {
    %p.3 = add %p.2, %i : i64
    %4 = constant {3} : i64
    %5 = gt %i, %4 : bool
    %q.3 = if %5 : i64 {
      yield %i
    } else {
      yield %q.2
    }
    %6 = addptr %P, %i : ptr<i32>
    %7 = load %6 : i32
    %r.3 = add %r.2, %7 : i32
    yield %p.3, %q.3, %r.3
  }
  %8 = addptr %Out, %p.1 : ptr<i32>
  %9 = cast %r.1 : i64
  %10 = add %q.1, %9 : i64
  %11 = cast %10 : i32
  store %8, %11
  return
}
