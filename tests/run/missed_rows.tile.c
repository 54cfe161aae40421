// Rows above and below a picture of bytes, or of shorts, whose masks fail as a whole while the others of the
// same vectors hold in all lanes: of widths below, at and above a vector's, with one row, two and three.
// run: :life X=@x.npy Out=new:u8[3,100] height=3 width=100 --grid 1,3 --out Out=out.npy
// run: :life X=@x.npy Out=new:u8[2,64] height=2 width=64 --grid 1,2 --out Out=out.npy
// run: :life X=@x.npy Out=new:u8[1,31] height=1 width=31 --grid 1,1 --out Out=out.npy
// run: :slopes X=rand:i16[4,50]:4 Out=new:i16[4,50] height=4 width=50 --grid 4 --out Out=out.npy
// array x.npy u8[3,100]: 1 0 0 1 1 0 1 1 1 0 1 0 0
kernel void life(const uint8_t *restrict X, uint8_t *restrict Out, int height, int width)
{
    int y = program_id(1), x = arange(0, 128);
    uint8_t alive = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            bool ok = y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width;
            alive += load(X + (y + dy) * width + x + dx, ok);
        }
    }
    uint8_t here = load(X + y * width + x, x < width);
    alive -= here;
    store(Out + y * width + x, where(alive == 3 || (alive == 2 && here == 1), 1, 0), x < width);
}
kernel void slopes(const int16_t *restrict X, int16_t *restrict Out, int height, int width)
{
    int y = program_id(0), x = arange(0, 64);
    int16_t above = load(X + (y - 1) * width + x, y > 0 && x < width, 100);
    int16_t below = load(X + (y + 1) * width + x, y + 1 < height && x < width, -100);
    store(Out + y * width + x, below - above, x < width);
}
---
run 1
Out u8[3,100]
0 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1 0 1 0 1 1 0 0 1 1 1 1 0 1
1 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0
0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1 1 1 0 1 0 1 1 1 1 0 0 1 1
run 2
Out u8[2,64]
0 0 0 1 1 0 1 0 0 0 1 0 0 0 0 0 1 1 0 1 0 0 0 1 0 0 0 0 0 1 1 0 1 0 0 0 1 0 0 0 0 0 1 1 0 1 0 0 0 1 0 0 0 0 0 1 1 0 1 0 0 0 1 0
0 0 0 1 1 1 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 1 1 0
run 3
Out u8[1,31]
0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0
run 4
Out i16[4,50]
-53 -192 -17 -93 -36 -145 -125 -131 -6 -115 -101 -9 -20 -121 -139 -39 -179 -122 -25 -17 -154 -185 -43 -76 -153 -99 -186 -60 -95 -60 -183 -72 -126 -101 -133 -74 -87 -77 -188 -155 -186 -124 -104 -178 -67 -103 -100 -81 -14 -83
-170 -73 -57 48 30 27 -85 113 -138 -52 -122 -12 95 5 -32 53 -192 -128 65 58 -68 -78 36 42 50 21 5 -66 27 -22 75 65 -21 -46 73 -31 -86 22 -79 144 -90 38 8 16 94 163 97 -26 -98 74
-71 177 -29 -32 -8 -42 110 69 -129 44 57 -66 -3 4 3 -87 35 17 -24 -9 80 142 37 7 -31 24 -11 -5 94 -43 169 -125 119 -66 100 -67 -35 -97 -5 105 135 -52 28 29 46 -71 17 58 -79 17
-18 -29 -138 -64 -151 -102 -75 -147 -36 -56 -58 -83 -181 -162 -164 -126 -1 -57 -100 -179 -72 -110 -169 -68 -149 -119 -105 -125 -96 -22 -179 -193 -166 -70 -126 -154 -12 -157 -16 -187 -48 -192 -46 -107 -166 -197 -141 -166 -78 -150
