// A character is an int with the value that a signed char has: bytes from 128 on are below 0.
// run: :k X=zeros:i32[8] Out=new:i64[16] --grid 1 --out Out=out.npy
kernel void k(const int *X, int64_t *Out)
{
    auto i = arange(0, 8);
    auto x = load(X + i);
    store(Out + i, (int64_t)(x + '\xff'));
    int c = '\377' * 2 + 'a' + '\x80';
    auto low = '\xfe' < 0 && '\xfe' == -2 && (uint8_t)'\xfe' == 254 && '\x7f' == 127;
    store(Out + 8, c);
    store(Out + 9, (int64_t)low);
    store(Out + 10, (int64_t)(4294967296l | '\xff'));
    store(Out + 11, (int64_t)(2u * (uint32_t)'\xff'));
    store(Out + 12, (int64_t)((int16_t)'\x81' << 4));
    store(Out + 13, (int64_t)('\n' << 8 | '\\'));
    store(Out + 14, (int64_t)(int)('\xff' * 0.5f - 0.5f));
    store(Out + 15, (int64_t)'\0');
}
---
run 1
Out i64[16]
-1 -1 -1 -1 -1 -1 -1 -1 -33 1 -1 4294967294 -2032 2652 -1 0
