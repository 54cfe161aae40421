// What Rust writes otherwise.
kernel void k(float *X, int n)
{
    let mut a: f32 = 1.0;
    float b = n as float;
    match n {
        1 => X[0] = 1,
        _ => X[0] = 2,
    }
    println!("{}", n);
    mut int c = 1;
}
pub fn g(x: f32) -> f32 { x }
---
from_rust.tile.c:4:5: error: unknown type 'let'
    let mut a: f32 = 1.0;
    ^~~
hint: write 'auto'
from_rust.tile.c:5:17: error: 'as' is no operator
    float b = n as float;
                ^~
hint: a conversion is written '(float)x'
from_rust.tile.c:6:5: error: unknown type 'match'
    match n {
    ^~~~~
hint: write 'switch (x) { case 1: ... break; default: ... }'
from_rust.tile.c:10:5: error: 'println!' is Rust's
    println!("{}", n);
    ^~~~~~~~
hint: tile_print("text", x) prints, tile_assert(condition, "text") checks
from_rust.tile.c:11:5: error: unknown type 'mut'
    mut int c = 1;
    ^~~
hint: leave it out: what is not const can be assigned
from_rust.tile.c:13:1: error: unknown type 'pub'
pub fn g(x: f32) -> f32 { x }
^~~
hint: a kernel is 'kernel void NAME(parameters) { ... }'
