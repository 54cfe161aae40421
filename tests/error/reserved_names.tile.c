// Built-ins have their names to themselves.
constexpr int axis = 1;
static int sum(int load)
{
    float max = 2;
    for (int exp = 0; exp < 3; exp++)
        max = 1;
    return load;
}
kernel void argmax(float *X, int kernel)
{
}
---
reserved_names.tile.c:2:15: error: 'axis' is a built-in: the name is reserved
constexpr int axis = 1;
              ^~~~
hint: choose another name
reserved_names.tile.c:3:12: error: 'sum' is a built-in: the name is reserved
static int sum(int load)
           ^~~
hint: choose another name
reserved_names.tile.c:3:20: error: 'load' is a built-in: the name is reserved
static int sum(int load)
                   ^~~~
hint: choose another name
reserved_names.tile.c:5:11: error: 'max' is a built-in: the name is reserved
    float max = 2;
          ^~~
hint: choose another name
reserved_names.tile.c:6:14: error: 'exp' is a built-in: the name is reserved
    for (int exp = 0; exp < 3; exp++)
             ^~~
hint: choose another name
reserved_names.tile.c:10:13: error: 'argmax' is a built-in: the name is reserved
kernel void argmax(float *X, int kernel)
            ^~~~~~
hint: choose another name
reserved_names.tile.c:10:34: error: expected the name of a parameter, but 'kernel' is a word of the language
kernel void argmax(float *X, int kernel)
                                 ^~~~~~
