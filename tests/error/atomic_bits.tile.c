// Operations on bits are for integers and truths: a float's bits have a type of their own.
kernel void k(float *F, const unsigned *C)
{
    atomic_and(F, 1.0f);
    atomic_or(F + arange(0, 4), 1, true);
    atomic_xor(C, 1);
    atomicXor(F, 1);
    atomic_or_global(F, 1);
}
---
atomic_bits.tile.c:7:5: error: unknown function 'atomicXor'
    atomicXor(F, 1);
    ^~~~~~~~~
hint: atomic_xor(pointer, value, mask)
atomic_bits.tile.c:8:5: error: unknown function 'atomic_or_global'
    atomic_or_global(F, 1);
    ^~~~~~~~~~~~~~~~
hint: atomic_or(pointer, value, mask)
atomic_bits.tile.c:4:5: error: 'atomic_and' takes integers or bool, not 'float'
    atomic_and(F, 1.0f);
    ^~~~~~~~~~~~~~~~~~~
atomic_bits.tile.c:5:5: error: 'atomic_or' takes integers or bool, not 'float'
    atomic_or(F + arange(0, 4), 1, true);
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
atomic_bits.tile.c:6:16: error: 'atomic_xor' through a pointer to const
    atomic_xor(C, 1);
               ^
hint: declare the parameter without const
