// What a table cannot be made of: at file scope, where its name is poison then.
const int many[2] = {1, 2, 3};
const int far[2] = {[2] = 1};
const int below[] = {[-1] = 1};
const int none[] = {};
const int zero[0] = {};
const int huge[100000] = {1};
const int fraction[2.5] = {1};
const int8_t change[1] = {200};
const int twice[2] = {1, 2, [0] = 3};
kernel void k(float *X, int n)
{
    store(X, many[0] + far[0] + below[7] + none[0]);
}
---
tables.tile.c:2:28: error: element 2 is outside of 'many', which has 2 elements
const int many[2] = {1, 2, 3};
                           ^
tables.tile.c:3:22: error: element 2 is outside of 'far', which has 2 elements
const int far[2] = {[2] = 1};
                     ^
tables.tile.c:4:23: error: element -1 is outside of 'below'
const int below[] = {[-1] = 1};
                      ^~
tables.tile.c:5:20: error: 'none' has neither a size nor elements
const int none[] = {};
                   ^~
tables.tile.c:6:16: error: a table has 1 to 4096 elements, not 0
const int zero[0] = {};
               ^
tables.tile.c:7:16: error: a table has 1 to 4096 elements, not 100000
const int huge[100000] = {1};
               ^~~~~~
tables.tile.c:8:20: error: the size of 'fraction' must be an integer known at compile time
const int fraction[2.5] = {1};
                   ^~~
hint: use literals and constexpr names in it
tables.tile.c:9:27: warning: an element of 'change' takes 'int8_t': the constant 200 becomes -56
const int8_t change[1] = {200};
                          ^~~
hint: '(int8_t)' in front of it says that this is meant
tables.tile.c:10:35: warning: element 0 of 'twice' is set twice
const int twice[2] = {1, 2, [0] = 3};
                                  ^
