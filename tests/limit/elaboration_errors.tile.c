// The error that is one too many is not shown, nor are notes of it.
kernel void k(const float *X, float *Out)
{
    store(Out + 0, X % 0);
    store(Out + 1, X % 1);
    store(Out + 2, X % 2);
    store(Out + 3, X % 3);
    store(Out + 4, X % 4);
    store(Out + 5, X % 5);
    store(Out + 6, X % 6);
    store(Out + 7, X % 7);
    store(Out + 8, X % 8);
    store(Out + 9, X % 9);
    store(Out + 10, X % 10);
    store(Out + 11, X % 11);
    store(Out + 12, X % 12);
    store(Out + 13, X % 13);
    store(Out + 14, X % 14);
    store(Out + 15, X % 15);
    store(Out + 16, X % 16);
    store(Out + 17, X % 17);
    store(Out + 18, X % 18);
    store(Out + 19, X % 19);
    store(Out + 20, X % 20);
    store(Out + 21, X % 21);
}
---
elaboration_errors.tile.c:4:22: error: '%' does not take a pointer
    store(Out + 0, X % 0);
                     ^
elaboration_errors.tile.c:5:22: error: '%' does not take a pointer
    store(Out + 1, X % 1);
                     ^
elaboration_errors.tile.c:6:22: error: '%' does not take a pointer
    store(Out + 2, X % 2);
                     ^
elaboration_errors.tile.c:7:22: error: '%' does not take a pointer
    store(Out + 3, X % 3);
                     ^
elaboration_errors.tile.c:8:22: error: '%' does not take a pointer
    store(Out + 4, X % 4);
                     ^
elaboration_errors.tile.c:9:22: error: '%' does not take a pointer
    store(Out + 5, X % 5);
                     ^
elaboration_errors.tile.c:10:22: error: '%' does not take a pointer
    store(Out + 6, X % 6);
                     ^
elaboration_errors.tile.c:11:22: error: '%' does not take a pointer
    store(Out + 7, X % 7);
                     ^
elaboration_errors.tile.c:12:22: error: '%' does not take a pointer
    store(Out + 8, X % 8);
                     ^
elaboration_errors.tile.c:13:22: error: '%' does not take a pointer
    store(Out + 9, X % 9);
                     ^
elaboration_errors.tile.c:14:23: error: '%' does not take a pointer
    store(Out + 10, X % 10);
                      ^
elaboration_errors.tile.c:15:23: error: '%' does not take a pointer
    store(Out + 11, X % 11);
                      ^
elaboration_errors.tile.c:16:23: error: '%' does not take a pointer
    store(Out + 12, X % 12);
                      ^
elaboration_errors.tile.c:17:23: error: '%' does not take a pointer
    store(Out + 13, X % 13);
                      ^
elaboration_errors.tile.c:18:23: error: '%' does not take a pointer
    store(Out + 14, X % 14);
                      ^
elaboration_errors.tile.c:19:23: error: '%' does not take a pointer
    store(Out + 15, X % 15);
                      ^
elaboration_errors.tile.c:20:23: error: '%' does not take a pointer
    store(Out + 16, X % 16);
                      ^
elaboration_errors.tile.c:21:23: error: '%' does not take a pointer
    store(Out + 17, X % 17);
                      ^
elaboration_errors.tile.c:22:23: error: '%' does not take a pointer
    store(Out + 18, X % 18);
                      ^
elaboration_errors.tile.c:23:23: error: '%' does not take a pointer
    store(Out + 19, X % 19);
                      ^
