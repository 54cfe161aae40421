// Python's words and signs within expressions: one error each, with what to write instead.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 4);
    float x = load(X + i, None);
    bool a = True, b = False;
    bool c = not (n > 3);
    if (not n) return;
    bool d = n > 3 or n < 1;
    bool e = n is 3;
    bool f = n not in 3;
    float g = x ** 2;
    x **= 3;
    float h = x @ x;
    float j = x[..., None];
    int l = len(x) + range(0, n);
    float m = scan(lambda p, q: p + q, x);
    pass;
    print("x", x);
    store(Out + i, x); # done
}
---
python_words.tile.c:5:27: error: unknown name 'None'
    float x = load(X + i, None);
                          ^~~~
hint: leave an argument with a default out; where(c, x, y) takes a value for both; a further axis of 1 is expand_dims(x, axis)
python_words.tile.c:6:14: error: unknown name 'True'
    bool a = True, b = False;
             ^~~~
hint: write true
python_words.tile.c:6:24: error: unknown name 'False'
    bool a = True, b = False;
                       ^~~~~
hint: write false
python_words.tile.c:7:14: error: unknown function 'not'
    bool c = not (n > 3);
             ^~~
hint: 'not' is written '!'
python_words.tile.c:8:9: error: 'not' is no operator
    if (not n) return;
        ^~~
hint: 'not' is written '!'
python_words.tile.c:9:20: error: 'or' is no operator
    bool d = n > 3 or n < 1;
                   ^~
hint: 'or' is written '||'
python_words.tile.c:10:16: error: 'is' is no operator
    bool e = n is 3;
               ^~
hint: 'is' is written '=='
python_words.tile.c:11:16: error: 'not' is no operator
    bool f = n not in 3;
               ^~~
hint: compare with each value: x == a || x == b
python_words.tile.c:12:18: error: '**' is no operator
    float g = x ** 2;
                 ^~~
hint: x * x is the square; pow(x, y) raises to any power
python_words.tile.c:13:8: error: '**' is no operator
    x **= 3;
       ^~
hint: x * x is the square; pow(x, y) raises to any power
python_words.tile.c:14:17: error: character '@' cannot stand here
    float h = x @ x;
                ^
hint: dot(a, b) multiplies matrices
python_words.tile.c:15:17: error: slices are not supported in kernels
    float j = x[..., None];
                ^~~
hint: expand_dims(x, axis) gives a tile a further axis of 1; load(X + arange(0, n)) reads neighbours
python_words.tile.c:17:20: error: 'lambda' is Python's, and kernel files are C
    float m = scan(lambda p, q: p + q, x);
                   ^~~~~~
hint: a grid is an expression, such as cdiv(n, BLOCK); scan takes the name of a static helper
python_words.tile.c:20:24: error: unexpected '#', expected an expression
    store(Out + i, x); # done
                       ^
hint: a comment is written '// text'
