// Prefixes of texts and characters, those of C and those of others.
kernel void k(float *X, int n)
{
    int a = L'x';
    int b = u8'x';
    tile_assert(n > 0, u8"text");
    int c = R"(abc)";
    int d = 'ab';
    int e = '';
    int f = "abc";
    int g = "abc"[0];
    X[0] = "a" "b";
    static_require(n > 0, L"x");
    tile_print("a" "b", n);
    int h = 'é';
    int i = b'x';
    int j = f"x";
    auto k2 = "abc";
    int l = '\q';
    int m = @"x";
    int o = "a" + 1;
    int q = "x"s;
}
---
prefixes.tile.c:4:13: error: the prefix 'L' is not supported in kernels
    int a = L'x';
            ^
hint: leave it out: 'a' is an int
prefixes.tile.c:5:13: error: the prefix 'u8' is not supported in kernels
    int b = u8'x';
            ^~
hint: leave it out: 'a' is an int
prefixes.tile.c:6:24: error: the prefix 'u8' is not supported in kernels
    tile_assert(n > 0, u8"text");
                       ^~
hint: leave it out: a text is UTF-8
prefixes.tile.c:7:13: error: 'R' is no prefix of C's
    int c = R"(abc)";
            ^
hint: a text is written "text", with a backslash as '\\'; tile_print("x", x) shows a value
prefixes.tile.c:8:13: error: a character constant holds one character
    int d = 'ab';
            ^~~~
hint: a text stands in double quotes
prefixes.tile.c:9:13: error: this character constant is empty
    int e = '';
            ^~
hint: a character is written 'a', a blank ' '; a text stands in double quotes
prefixes.tile.c:10:13: error: a text can only be an argument of a function
    int f = "abc";
            ^~~~~
hint: texts are for tile_assert, tile_print and the requirements
prefixes.tile.c:11:13: error: a text can only be an argument of a function
    int g = "abc"[0];
            ^~~~~
hint: texts are for tile_assert, tile_print and the requirements
prefixes.tile.c:12:12: error: a text can only be an argument of a function
    X[0] = "a" "b";
           ^~~
hint: texts are for tile_assert, tile_print and the requirements
prefixes.tile.c:13:27: error: the prefix 'L' is not supported in kernels
    static_require(n > 0, L"x");
                          ^
hint: leave it out: a text is UTF-8
prefixes.tile.c:15:13: error: a character constant holds one byte
    int h = '??';
            ^~~~
hint: characters beyond ASCII are several: write the number, such as 0xe9
prefixes.tile.c:16:13: error: 'b' is no prefix of C's
    int i = b'x';
            ^
hint: a text is written "text", with a backslash as '\\'; tile_print("x", x) shows a value
prefixes.tile.c:17:13: error: 'f' is no prefix of C's
    int j = f"x";
            ^
hint: a text is written "text", with a backslash as '\\'; tile_print("x", x) shows a value
prefixes.tile.c:18:15: error: a text can only be an argument of a function
    auto k2 = "abc";
              ^~~~~
hint: texts are for tile_assert, tile_print and the requirements
prefixes.tile.c:19:14: error: unknown escape sequence
    int l = '\q';
             ^~
hint: a backslash is written '\\'
prefixes.tile.c:20:13: error: character '@' cannot stand here
    int m = @"x";
            ^
prefixes.tile.c:21:13: error: a text can only be an argument of a function
    int o = "a" + 1;
            ^~~
hint: texts are for tile_assert, tile_print and the requirements
prefixes.tile.c:22:13: error: a text can only be an argument of a function
    int q = "x"s;
            ^~~
hint: texts are for tile_assert, tile_print and the requirements
