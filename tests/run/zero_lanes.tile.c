// Lanes behind a tile's end hold zeros. LLVM 19 takes those that are zero in both operands of a bitwise and
// to be undefined, where a vector is shorter than a register: products, shifts and quotients of it had
// garbage there, and their sums did. Columns that are gathered two elements at a time, of odd lengths.
// run: X=@x.npy N=@n.npy Y=new:u32[25] --grid 1 --out Y=y.npy
// run: X=@x.npy N=@n.npy Y=new:u32[25] --grid 1 --cpu generic --out Y=y.npy
// array x.npy u32[64]: 4000000001 4000000017 77 111778456 4294967295 9 4026531841 65535
// array n.npy u32[64]: 4294967295 24 4294967200 3 31 4294901761 1 30 2
#define COLUMN(AT, EXPRESSION) \
    store(Y + (AT) + arange(0, 1), cast(uint32_t, cast(int64_t, sum(EXPRESSION, axis(0)))));
#define COLUMNS(SIZE, AT)                                                                           \
    {                                                                                              \
        int i = expand_dims(arange(0, SIZE), 1) * 1 + expand_dims(arange(0, 1), 0);                \
        uint32_t x = load(X + (program_id(0) & 63) + i), n = load(N + i);                          \
        uint32_t far = load(X + ((i * 3) & 63)), both = x & far;                                   \
        COLUMN(AT, both << (n & 31u))                                                              \
        COLUMN(AT + 1, both * n)                                                                   \
        COLUMN(AT + 2, both / 7u)                                                                  \
        COLUMN(AT + 3, (both & n) * (n | 1u))                                                      \
        COLUMN(AT + 4, cast(uint32_t, cast(uint16_t, x) & cast(uint16_t, far)) * n)                \
    }

kernel void k(const uint32_t *restrict X, const uint32_t *restrict N, uint32_t *restrict Y)
{
    COLUMNS(1, 0)
    COLUMNS(3, 5)
    COLUMNS(5, 10)
    COLUMNS(7, 15)
    COLUMNS(9, 20)
}
---
run 1
Y u32[25]
2147483648 294967295 571428571 294967295 4294957055 2415919105 2775423263 586193190 294967695 39199 1095254145 3085480240 1214524565 294968656 2076976 1095254165 3084890426 1214524566 294903122 1487162 989126809 2494956106 1785953138 294903370 1507914
run 2
Y u32[25]
2147483648 294967295 571428571 294967295 4294957055 2415919105 2775423263 586193190 294967695 39199 1095254145 3085480240 1214524565 294968656 2076976 1095254165 3084890426 1214524566 294903122 1487162 989126809 2494956106 1785953138 294903370 1507914
