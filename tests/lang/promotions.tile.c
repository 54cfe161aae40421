// C's promotions and usual conversions.
kernel void k(const uint8_t *Q, const int16_t *S, const uint64_t *W, const bool *F, int *Out)
{
    uint8_t q = Q[0];
    store(Out + 0, (q & 15) - 8);
    store(Out + 1, q << 9);
    store(Out + 2, S[0] * S[1]);
    store(Out + 3, W[0] + S[0]);
    store(Out + 4, F[0] + F[1]);
    store(Out + 5, -q);
    store(Out + 6, Q[1] < S[1]);
    store(Out + 7, F[0] & F[1]);
    q += 300;
    store(Out + 8, q);
}
---
func @k(%Q: const ptr<u8>, %S: const ptr<i16>, %W: const ptr<u64>, %F: const ptr<bool>, %Out: ptr<i32>) {
  %0 = constant {0} : i64
  %1 = addptr %Q, %0 : ptr<u8>
  %q = load %1 : u8
  %2 = constant {0} : i64
  %3 = addptr %Out, %2 : ptr<i32>
  %4 = cast %q : i32
  %5 = constant {15} : i32
  %6 = and %4, %5 : i32
  %7 = constant {8} : i32
  %8 = sub %6, %7 : i32
  store %3, %8
  %9 = constant {1} : i64
  %10 = addptr %Out, %9 : ptr<i32>
  %11 = cast %q : i32
  %12 = constant {9} : i32
  %13 = shl %11, %12 : i32
  store %10, %13
  %14 = constant {2} : i64
  %15 = addptr %Out, %14 : ptr<i32>
  %16 = constant {0} : i64
  %17 = addptr %S, %16 : ptr<i16>
  %18 = load %17 : i16
  %19 = constant {1} : i64
  %20 = addptr %S, %19 : ptr<i16>
  %21 = load %20 : i16
  %22 = cast %18 : i32
  %23 = cast %21 : i32
  %24 = mul %22, %23 : i32
  store %15, %24
  %25 = constant {3} : i64
  %26 = addptr %Out, %25 : ptr<i32>
  %27 = constant {0} : i64
  %28 = addptr %W, %27 : ptr<u64>
  %29 = load %28 : u64
  %30 = constant {0} : i64
  %31 = addptr %S, %30 : ptr<i16>
  %32 = load %31 : i16
  %33 = cast %32 : i32
  %34 = cast %33 : u64
  %35 = add %29, %34 : u64
  %36 = cast %35 : i32
  store %26, %36
  %37 = constant {4} : i64
  %38 = addptr %Out, %37 : ptr<i32>
  %39 = constant {0} : i64
  %40 = addptr %F, %39 : ptr<bool>
  %41 = load %40 : bool
  %42 = constant {1} : i64
  %43 = addptr %F, %42 : ptr<bool>
  %44 = load %43 : bool
  %45 = cast %41 : i32
  %46 = cast %44 : i32
  %47 = add %45, %46 : i32
  store %38, %47
  %48 = constant {5} : i64
  %49 = addptr %Out, %48 : ptr<i32>
  %50 = cast %q : i32
  %51 = neg %50 : i32
  store %49, %51
  %52 = constant {6} : i64
  %53 = addptr %Out, %52 : ptr<i32>
  %54 = constant {1} : i64
  %55 = addptr %Q, %54 : ptr<u8>
  %56 = load %55 : u8
  %57 = constant {1} : i64
  %58 = addptr %S, %57 : ptr<i16>
  %59 = load %58 : i16
  %60 = cast %56 : i32
  %61 = cast %59 : i32
  %62 = lt %60, %61 : bool
  %63 = cast %62 : i32
  store %53, %63
  %64 = constant {7} : i64
  %65 = addptr %Out, %64 : ptr<i32>
  %66 = constant {0} : i64
  %67 = addptr %F, %66 : ptr<bool>
  %68 = load %67 : bool
  %69 = constant {1} : i64
  %70 = addptr %F, %69 : ptr<bool>
  %71 = load %70 : bool
  %72 = and %68, %71 : bool
  %73 = cast %72 : i32
  store %65, %73
  %74 = cast %q : i32
  %75 = constant {300} : i32
  %76 = add %74, %75 : i32
  %q.1 = cast %76 : u8
  %77 = constant {8} : i64
  %78 = addptr %Out, %77 : ptr<i32>
  %79 = cast %q.1 : i32
  store %78, %79
  return
}
