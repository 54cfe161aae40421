// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int column = 0, row = 0;
    store(Out + colum, rwo + rwo);
}
---
unknown_name.tile.c:5:17: error: unknown name 'colum'
    store(Out + colum, rwo + rwo);
                ^~~~~
hint: did you mean 'column'?
unknown_name.tile.c:5:24: error: unknown name 'rwo'
    store(Out + colum, rwo + rwo);
                       ^~~
hint: did you mean 'row'?
