kernel void k(float *Out, int n)
{
    float *p = n > 3 ? Out : Out + 1;
    float q = k;
}
---
pointer_chosen.tile.c:3:16: error: both sides must be numbers; these are 'float *' and 'float *'
    float *p = n > 3 ? Out : Out + 1;
               ^~~~~~~~~~~~~~~~~~~~~
hint: choose the offset of one pointer, or load from each in a branch of an 'if'
pointer_chosen.tile.c:4:15: error: 'k' is not a value
    float q = k;
              ^
