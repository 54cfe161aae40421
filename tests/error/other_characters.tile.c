// What comes along with text that is copied from a page, and letters of other alphabets.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 16);
    float a = load(X + i, i ≤ n);
    float b = a − 1;
    float c = load(X + i);
    tile_assert(n > 0, “text”);
    float größe = 1;
    /* ≤ is fine in a comment */
    store(Out + i, a);
}
---
other_characters.tile.c:5:29: error: character U+2264 cannot stand here
    float a = load(X + i, i ??? n);
                            ^~~
hint: write '<='
other_characters.tile.c:6:17: error: character U+2212 cannot stand here
    float b = a ??? 1;
                ^~~
hint: write '-'
other_characters.tile.c:8:24: error: character U+201C cannot stand here
    tile_assert(n > 0, ???text???);
                       ^~~
hint: write '"'
other_characters.tile.c:9:13: error: character U+00F6 cannot stand here
    float gr????e = 1;
            ^~
hint: outside of comments and texts everything is ASCII
