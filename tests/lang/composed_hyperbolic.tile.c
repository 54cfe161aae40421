// Approximate functions that are written in the language: what half needs is computed in float and rounded
// once; an integer becomes a float.
kernel void k(const half *H, float *Out, int n)
{
    store(Out, atanh(H[0]) + asinh(n));
}
---
func @k(%H: const ptr<f16>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = addptr %H, %0 : ptr<f16>
  %2 = load %1 : f16
  %x = cast %2 : f32
  %a = abs %x : f32
  %3 = constant {1.0} : f32
  %below = sub %3, %a : f32
  %4 = constant {1.0} : f32
  %5 = sub %4, %below : f32
  %below_low = sub %5, %a : f32
  %6 = add %a, %a : f32
  %t = div %6, %below : f32
  %7 = neg %t : f32
  %8 = add %a, %a : f32
  %9 = fma %7, %below, %8 : f32
  %10 = neg %t : f32
  %left = fma %10, %below_low, %9 : f32
  %low = div %left, %below : f32
  %large = constant {false} : bool
  %11 = constant {-1.0} : f32
  %12 = select %large, %11, %low : f32
  %13 = constant {1.0} : f32
  %14 = add %13, %t : f32
  %rest = div %12, %14 : f32
  %15 = log1p %t : f32
  %16 = constant {0.6931472} : f32
  %17 = add %rest, %16 : f32
  %18 = select %large, %17, %rest : f32
  %19 = add %15, %18 : f32
  %20 = constant {0.5} : f32
  %result = mul %19, %20 : f32
  %21 = constant {1.0} : f32
  %22 = eq %a, %21 : bool
  %23 = constant {inf} : f32
  %x.1 = select %22, %23, %result : f32
  %24 = signbit %x : bool
  %25 = abs %x.1 : f32
  %26 = neg %25 : f32
  %27 = abs %x.1 : f32
  %28 = select %24, %26, %27 : f32
  %29 = cast %28 : f16
  %x.2 = cast %n.1 : f32
  %large.1 = constant {16384.0} : f32
  %a.1 = abs %x.2 : f32
  %30 = constant {1.0} : f32
  %31 = fma %a.1, %a.1, %30 : f32
  %32 = sqrt %31 : f32
  %33 = constant {1.0} : f32
  %34 = add %33, %32 : f32
  %35 = mul %a.1, %a.1 : f32
  %more = div %35, %34 : f32
  %t.1 = add %a.1, %more : f32
  %36 = lt %a.1, %large.1 : bool
  %t.2 = select %36, %t.1, %a.1 : f32
  %37 = sub %a.1, %t.1 : f32
  %low.1 = add %37, %more : f32
  %large.2 = ge %a.1, %large.1 : bool
  %38 = constant {-1.0} : f32
  %39 = select %large.2, %38, %low.1 : f32
  %40 = constant {1.0} : f32
  %41 = add %40, %t.2 : f32
  %rest.1 = div %39, %41 : f32
  %42 = log1p %t.2 : f32
  %43 = constant {0.6931472} : f32
  %44 = add %rest.1, %43 : f32
  %45 = select %large.2, %44, %rest.1 : f32
  %result.1 = add %42, %45 : f32
  %46 = signbit %x.2 : bool
  %47 = abs %result.1 : f32
  %48 = neg %47 : f32
  %49 = abs %result.1 : f32
  %50 = select %46, %48, %49 : f32
  %51 = cast %29 : f32
  %52 = add %51, %50 : f32
  store %Out, %52
  return
}
