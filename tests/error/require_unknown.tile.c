// What is near to no requirement gets all their names.
// args: --stage msl
require(k, warps = 4);
require(k, thread = 128);
launch_grid(k, 1);
kernel void k(float *Out)
{
    store(Out, 1.0f);
}
---
require_unknown.tile.c:3:12: error: unknown requirement 'warps'
require(k, warps = 4);
           ^~~~~~~~~
hint: there are 'threads', 'programs_per_block', 'fetch_ahead', 'groups', 'backend', 'staging', 'buffering', 'swizzle', 'vector_width', 'precision', 'split_k'
require_unknown.tile.c:4:12: error: unknown requirement 'thread'
require(k, thread = 128);
           ^~~~~~~~~~~~
hint: did you mean 'threads'?
