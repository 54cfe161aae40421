// C compares before it takes bits together, which is warned of; conditions of both are meant so.
kernel void k(int *Out, int n)
{
    int i = arange(0, 16);
    bool odd = (i & 1) != 0;
    store(Out + i, i & 1 == 0);
    store(Out + i, 0 == i & 1);
    store(Out + i, n ^ 3 < n);
    store(Out + i, i | n >= 4);
    store(Out + i, (i & 1) == 0);
    store(Out + i, i & (1 == 0));
    store(Out + i, i < n & i > 3);
    store(Out + i, i == 1 | i == 2 | i == n);
    store(Out + i, odd & i & n);
    store(Out + i, i << 1 == n && odd);
}
---
bits_compared.tile.c:6:24: warning: '==' is done in front of '&', which gets its result
    store(Out + i, i & 1 == 0);
                       ^~~~~~
hint: write '(a & b) == c'; parentheses say that it is meant
bits_compared.tile.c:7:20: warning: '==' is done in front of '&', which gets its result
    store(Out + i, 0 == i & 1);
                   ^~~~~~
hint: write 'a == (b & c)'; parentheses say that it is meant
bits_compared.tile.c:8:24: warning: '<' is done in front of '^', which gets its result
    store(Out + i, n ^ 3 < n);
                       ^~~~~
hint: write '(a ^ b) < c'; parentheses say that it is meant
bits_compared.tile.c:9:24: warning: '>=' is done in front of '|', which gets its result
    store(Out + i, i | n >= 4);
                       ^~~~~~
hint: write '(a | b) >= c'; parentheses say that it is meant
func @k(%Out: ptr<i32>, %n: i32) {
  %n.1 = cast %n : i64
  %i = arange {0 to 16} : i64[16]
  %0 = cast %i : i32[16]
  %1 = constant {1} : i32[16]
  %2 = and %0, %1 : i32[16]
  %3 = constant {0} : i32[16]
  %odd = ne %2, %3 : bool[16]
  %4 = broadcast %Out : ptr<i32>[16]
  %5 = addptr %4, %i : ptr<i32>[16]
  %6 = cast %i : i32[16]
  %7 = constant {0} : i32[16]
  %8 = and %6, %7 : i32[16]
  store %5, %8
  %9 = broadcast %Out : ptr<i32>[16]
  %10 = addptr %9, %i : ptr<i32>[16]
  %11 = constant {0} : i64[16]
  %12 = eq %11, %i : bool[16]
  %13 = cast %12 : i32[16]
  %14 = constant {1} : i32[16]
  %15 = and %13, %14 : i32[16]
  store %10, %15
  %16 = broadcast %Out : ptr<i32>[16]
  %17 = addptr %16, %i : ptr<i32>[16]
  %18 = constant {3} : i64
  %19 = lt %18, %n.1 : bool
  %20 = cast %n.1 : i32
  %21 = cast %19 : i32
  %22 = xor %20, %21 : i32
  %23 = broadcast %22 : i32[16]
  store %17, %23
  %24 = broadcast %Out : ptr<i32>[16]
  %25 = addptr %24, %i : ptr<i32>[16]
  %26 = constant {4} : i64
  %27 = ge %n.1, %26 : bool
  %28 = cast %i : i32[16]
  %29 = cast %27 : i32
  %30 = broadcast %29 : i32[16]
  %31 = or %28, %30 : i32[16]
  store %25, %31
  %32 = broadcast %Out : ptr<i32>[16]
  %33 = addptr %32, %i : ptr<i32>[16]
  %34 = cast %i : i32[16]
  %35 = constant {1} : i32[16]
  %36 = and %34, %35 : i32[16]
  %37 = constant {0} : i32[16]
  %38 = eq %36, %37 : bool[16]
  %39 = cast %38 : i32[16]
  store %33, %39
  %40 = broadcast %Out : ptr<i32>[16]
  %41 = addptr %40, %i : ptr<i32>[16]
  %42 = cast %i : i32[16]
  %43 = constant {0} : i32[16]
  %44 = and %42, %43 : i32[16]
  store %41, %44
  %45 = broadcast %Out : ptr<i32>[16]
  %46 = addptr %45, %i : ptr<i32>[16]
  %47 = broadcast %n.1 : i64[16]
  %48 = lt %i, %47 : bool[16]
  %49 = constant {3} : i64[16]
  %50 = gt %i, %49 : bool[16]
  %51 = and %48, %50 : bool[16]
  %52 = cast %51 : i32[16]
  store %46, %52
  %53 = broadcast %Out : ptr<i32>[16]
  %54 = addptr %53, %i : ptr<i32>[16]
  %55 = constant {1} : i64[16]
  %56 = eq %i, %55 : bool[16]
  %57 = constant {2} : i64[16]
  %58 = eq %i, %57 : bool[16]
  %59 = or %56, %58 : bool[16]
  %60 = broadcast %n.1 : i64[16]
  %61 = eq %i, %60 : bool[16]
  %62 = or %59, %61 : bool[16]
  %63 = cast %62 : i32[16]
  store %54, %63
  %64 = broadcast %Out : ptr<i32>[16]
  %65 = addptr %64, %i : ptr<i32>[16]
  %66 = cast %i : i32[16]
  %67 = cast %odd : i32[16]
  %68 = and %67, %66 : i32[16]
  %69 = cast %n.1 : i32
  %70 = broadcast %69 : i32[16]
  %71 = and %68, %70 : i32[16]
  store %65, %71
  %72 = broadcast %Out : ptr<i32>[16]
  %73 = addptr %72, %i : ptr<i32>[16]
  %74 = cast %i : i32[16]
  %75 = constant {1} : i32[16]
  %76 = shl %74, %75 : i32[16]
  %77 = cast %76 : i64[16]
  %78 = broadcast %n.1 : i64[16]
  %79 = eq %77, %78 : bool[16]
  %80 = and %79, %odd : bool[16]
  %81 = cast %80 : i32[16]
  store %73, %81
  return
}
