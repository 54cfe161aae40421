// A statement whose value nobody takes is warned about, unless it does something.
static int f(int *p)
{
    return atomic_add(p, 1);
}
kernel void k(int *Out, int n)
{
    n == 3;
    Out + 1;
    load(Out);
    f(Out);
    atomic_max(Out, n);
}
---
unused_value.tile.c:8:5: warning: this value is not used
    n == 3;
    ^~~~~~
hint: '=' assigns, '==' compares
unused_value.tile.c:9:5: warning: this value is not used
    Out + 1;
    ^~~~~~~
unused_value.tile.c:10:5: warning: this value is not used
    load(Out);
    ^~~~~~~~~
func @k(%Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {3} : i64
  %1 = eq %n.1, %0 : bool
  %2 = constant {1} : i64
  %3 = addptr %Out, %2 : ptr<i32>
  %4 = load %Out : i32
  %5 = constant {1} : i32
  %6 = atomic_add %Out, %5 : i32
  %7 = cast %n.1 : i32
  %8 = atomic_max %Out, %7 : i32
  return
}
