// Constants that are none.
kernel void k(int n)
{
    n = 08;
    n = 0x;
    n = 12ab;
    n = 0b12;
    n = 99999999999999999999;
    n = 9223372036854775808;
    float a = 1.5x;
    float b = 1.5l;
    float c = 1e999;
    n = 'ab';
    n = '';
    n = '\q';
    n = @;
    n = 1e;
    a = 0x1.8;
    a = 0x.f;
    a = 0x1.8p0;
}
---
numbers.tile.c:4:9: error: this is not a number
    n = 08;
        ^~
hint: a 0 in front makes it octal, which has no 8 and 9
numbers.tile.c:5:9: error: this is not a number
    n = 0x;
        ^~
numbers.tile.c:6:9: error: this is not a number
    n = 12ab;
        ^~~~
numbers.tile.c:7:9: error: this is not a number
    n = 0b12;
        ^~~~
numbers.tile.c:8:9: error: this constant does not fit in 64 bits
    n = 99999999999999999999;
        ^~~~~~~~~~~~~~~~~~~~
numbers.tile.c:9:9: error: this constant does not fit in 64 bits
    n = 9223372036854775808;
        ^~~~~~~~~~~~~~~~~~~
hint: the least integer is written INT64_MIN; an unsigned constant ends in 'u'
numbers.tile.c:10:15: error: this is not a number
    float a = 1.5x;
              ^~~~
numbers.tile.c:11:15: error: long double is not supported
    float b = 1.5l;
              ^~~~
hint: leave out the 'l'
numbers.tile.c:12:15: error: this constant is too large for double
    float c = 1e999;
              ^~~~~
hint: infinity is written INFINITY
numbers.tile.c:13:9: error: a character constant holds one character
    n = 'ab';
        ^~~~
hint: a text stands in double quotes
numbers.tile.c:14:9: error: this character constant is empty
    n = '';
        ^~
hint: a character is written 'a', a blank ' '; a text stands in double quotes
numbers.tile.c:15:10: error: unknown escape sequence
    n = '\q';
         ^~
hint: a backslash is written '\\'
numbers.tile.c:16:9: error: character '@' cannot stand here
    n = @;
        ^
numbers.tile.c:17:9: error: this is not a number
    n = 1e;
        ^~
numbers.tile.c:18:9: error: a hexadecimal constant with a point needs an exponent
    a = 0x1.8;
        ^~~~~
hint: 'p0' behind its digits, as in 0x1.8p0, leaves the value as it is
numbers.tile.c:19:9: error: a hexadecimal constant with a point needs an exponent
    a = 0x.f;
        ^~~~
hint: 'p0' behind its digits, as in 0x1.8p0, leaves the value as it is
