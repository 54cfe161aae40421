// Tile IR is made for every target, and yet no requirement is unknown to all of them.
// args: --stage tile
require(k, num_warps = 4);
require(k, staging = nowhere);
require(k, threads = 128);
launch_grid(k, 1);
kernel void k(float *Out)
{
    store(Out, 1.0f);
}
---
require_of_triton.tile.c:3:12: error: unknown requirement 'num_warps'
require(k, num_warps = 4);
           ^~~~~~~~~~~~~
hint: there are 'threads', 'programs_per_block', 'fetch_ahead', 'groups', 'backend', 'staging', 'buffering', 'swizzle', 'vector_width', 'precision', 'split_k'
require_of_triton.tile.c:4:12: error: requirement 'staging' takes one of: device threadgroup
require(k, staging = nowhere);
           ^~~~~~~~~~~~~~~~~
