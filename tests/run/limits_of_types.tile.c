// What <limits.h>, <stdint.h> and <float.h> define, in types of the right size.
// run: L=new:i64[8] U=new:u64[4] D=new:f64[5] --out L=l.npy --out U=u.npy --out D=d.npy
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(long *L, uint64_t *U, double *D)
{
    L[0] = CHAR_BIT;
    L[1] = SHRT_MIN;
    L[2] = SHRT_MAX + 1;
    L[3] = USHRT_MAX;
    L[4] = LONG_MIN;
    L[5] = LONG_MAX;
    L[6] = INT_MAX;
    L[7] = -(long)INT_MAX - 1 == INT_MIN;
    U[0] = ULONG_MAX;
    U[1] = SIZE_MAX;
    U[2] = UINT_MAX;
    U[3] = ULONG_MAX / 2 == LONG_MAX;
    D[0] = DBL_MAX;
    D[1] = DBL_MIN;
    D[2] = 1 + DBL_EPSILON;
    D[3] = DBL_MAX * 0.5; /* in double, though a constant without suffix takes the other's type */
    D[4] = FLT_MAX;
}
---
run 1
L i64[8]
8 -32768 32768 65535 -9223372036854775808 9223372036854775807 2147483647 1
U u64[4]
18446744073709551615 18446744073709551615 4294967295 1
D f64[5]
1.7976931348623157e+308 2.2250738585072014e-308 1.0000000000000002 8.9884656743115785e+307 3.4028234663852886e+38
