// Functions that are written in the language: half and bfloat compute in float where the function has no
// text for them; integers become floats; the power of ldexp keeps out of the common type.
kernel void k(const half *H, const double *D, float *Out, int n, uint64_t u)
{
    store(Out + 0, copysign(H[0], -1) + fdim(n, 3));
    store(Out + 1, ldexp(H[0], n));
    store(Out + 2, ldexp(D[0], u));
    store(Out + 3, nextafter(H[0], 2));
    store(Out + 4, isfinite(D[0]));
    store(Out + 5, logb(5) + remainder(7, H[0]));
}
---
func @k(%H: const ptr<f16>, %D: const ptr<f64>, %Out: ptr<f32>, %n: i32, %u: u64) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = addptr %Out, %0 : ptr<f32>
  %2 = constant {0} : i64
  %3 = addptr %H, %2 : ptr<f16>
  %x = load %3 : f16
  %y = constant {-1.0} : f16
  %4 = signbit %y : bool
  %5 = abs %x : f16
  %6 = neg %5 : f16
  %7 = abs %x : f16
  %8 = select %4, %6, %7 : f16
  %x.1 = cast %n.1 : f32
  %y.1 = constant {3.0} : f32
  %9 = le %x.1, %y.1 : bool
  %10 = sub %x.1, %y.1 : f32
  %11 = constant {0.0} : f32
  %12 = select %9, %11, %10 : f32
  %13 = cast %8 : f32
  %14 = add %13, %12 : f32
  store %1, %14
  %15 = constant {1} : i64
  %16 = addptr %Out, %15 : ptr<f32>
  %17 = constant {0} : i64
  %18 = addptr %H, %17 : ptr<f16>
  %19 = load %18 : f16
  %n.2 = cast %n.1 : i32
  %x.2 = cast %19 : f32
  %20 = constant {-300} : i32
  %21 = maximum %n.2, %20 : i32
  %22 = constant {300} : i32
  %n.3 = minimum %21, %22 : i32
  %23 = constant {-126} : i32
  %24 = maximum %n.3, %23 : i32
  %25 = constant {127} : i32
  %last = minimum %24, %25 : i32
  %rest = sub %n.3, %last : i32
  %26 = constant {1} : i32
  %part = shr %rest, %26 : i32
  %27 = constant {127} : i32
  %28 = add %part, %27 : i32
  %29 = constant {23} : i32
  %30 = shl %28, %29 : i32
  %31 = bitcast %30 : f32
  %32 = sub %rest, %part : i32
  %33 = constant {127} : i32
  %34 = add %32, %33 : i32
  %35 = constant {23} : i32
  %36 = shl %34, %35 : i32
  %37 = bitcast %36 : f32
  %38 = mul %x.2, %31 : f32
  %x.3 = mul %38, %37 : f32
  %39 = constant {127} : i32
  %40 = add %last, %39 : i32
  %41 = constant {23} : i32
  %42 = shl %40, %41 : i32
  %43 = bitcast %42 : f32
  %44 = mul %x.3, %43 : f32
  %45 = cast %44 : f16
  %46 = cast %45 : f32
  store %16, %46
  %47 = constant {2} : i64
  %48 = addptr %Out, %47 : ptr<f32>
  %49 = constant {0} : i64
  %50 = addptr %D, %49 : ptr<f64>
  %x.4 = load %50 : f64
  %51 = constant {65536} : u64
  %52 = minimum %u, %51 : u64
  %n.4 = cast %52 : i32
  %53 = constant {-2200} : i32
  %54 = maximum %n.4, %53 : i32
  %55 = constant {2200} : i32
  %n.5 = minimum %54, %55 : i32
  %56 = constant {-1022} : i32
  %57 = maximum %n.5, %56 : i32
  %58 = constant {1023} : i32
  %last.1 = minimum %57, %58 : i32
  %rest.1 = sub %n.5, %last.1 : i32
  %59 = constant {1} : i32
  %part.1 = shr %rest.1, %59 : i32
  %60 = constant {1023} : i32
  %61 = add %part.1, %60 : i32
  %62 = cast %61 : i64
  %63 = constant {52} : i64
  %64 = shl %62, %63 : i64
  %65 = bitcast %64 : f64
  %66 = sub %rest.1, %part.1 : i32
  %67 = constant {1023} : i32
  %68 = add %66, %67 : i32
  %69 = cast %68 : i64
  %70 = constant {52} : i64
  %71 = shl %69, %70 : i64
  %72 = bitcast %71 : f64
  %73 = mul %x.4, %65 : f64
  %x.5 = mul %73, %72 : f64
  %74 = constant {1023} : i32
  %75 = add %last.1, %74 : i32
  %76 = cast %75 : i64
  %77 = constant {52} : i64
  %78 = shl %76, %77 : i64
  %79 = bitcast %78 : f64
  %80 = mul %x.5, %79 : f64
  %81 = cast %80 : f32
  store %48, %81
  %82 = constant {3} : i64
  %83 = addptr %Out, %82 : ptr<f32>
  %84 = constant {0} : i64
  %85 = addptr %H, %84 : ptr<f16>
  %x.6 = load %85 : f16
  %y.2 = constant {2.0} : f16
  %86 = bitcast %y.2 : i16
  %87 = cast %86 : i32
  %88 = constant {-32768} : i32
  %89 = and %87, %88 : i32
  %zero = cast %89 : i16
  %bits = bitcast %x.6 : i16
  %90 = constant {0.0} : f16
  %91 = eq %x.6, %90 : bool
  %from = select %91, %zero, %bits : i16
  %92 = lt %x.6, %y.2 : bool
  %93 = cast %from : i32
  %94 = constant {0} : i32
  %95 = ge %93, %94 : bool
  %96 = cast %92 : i32
  %97 = cast %95 : i32
  %98 = eq %96, %97 : bool
  %99 = constant {1} : i32
  %100 = constant {-1} : i32
  %101 = select %98, %99, %100 : i32
  %102 = cast %from : i32
  %103 = add %102, %101 : i32
  %bits.1 = cast %103 : i16
  %next = bitcast %bits.1 : f16
  %104 = eq %x.6, %y.2 : bool
  %of_numbers = select %104, %y.2, %next : f16
  %105 = isnan %x.6 : bool
  %106 = isnan %y.2 : bool
  %107 = select %106, %y.2, %of_numbers : f16
  %108 = select %105, %x.6, %107 : f16
  %109 = cast %108 : f32
  store %83, %109
  %110 = constant {4} : i64
  %111 = addptr %Out, %110 : ptr<f32>
  %112 = constant {0} : i64
  %113 = addptr %D, %112 : ptr<f64>
  %x.7 = load %113 : f64
  %114 = abs %x.7 : f64
  %115 = constant {inf} : f64
  %116 = lt %114, %115 : bool
  %117 = cast %116 : f32
  store %111, %117
  %118 = constant {5} : i64
  %119 = addptr %Out, %118 : ptr<f32>
  %120 = constant {0} : i64
  %121 = addptr %H, %120 : ptr<f16>
  %y.3 = load %121 : f16
  %x.8 = constant {7.0} : f16
  %divisor = abs %y.3 : f16
  %122 = abs %x.8 : f16
  %123 = add %divisor, %divisor : f16
  %left = fmod %122, %123 : f16
  %less = sub %left, %divisor : f16
  %124 = add %less, %less : f16
  %125 = ge %124, %divisor : bool
  %126 = sub %less, %divisor : f16
  %less.1 = select %125, %126, %less : f16
  %127 = add %left, %left : f16
  %128 = gt %127, %divisor : bool
  %left.1 = select %128, %less.1, %left : f16
  %129 = signbit %x.8 : bool
  %130 = neg %left.1 : f16
  %131 = select %129, %130, %left.1 : f16
  %132 = cast %131 : f32
  %133 = constant {2.0} : f32
  %134 = add %133, %132 : f32
  store %119, %134
  return
}
