#ifndef TILEC_BASE_CODE_FILE_H
#define TILEC_BASE_CODE_FILE_H
/*
 * The library or program that contains some code, and modules beside it. `code` is the address of a
 * function in it.
 *
 * A name that is relative was so for the folder in which the program started (or, of a program
 * found through PATH, for none): in the folder of the day it may be somebody else's file, and what
 * lies beside that somebody else's code. So the paths here are absolute.
 */
#include <limits.h>
#include <stdbool.h>

/* False when the system does not say. */
bool code_file(const void *code, char path[PATH_MAX]);

/* A module of ours, "libtilec-cpu.so": beside that file, where both were just built; or where it is
 * installed, which is tilec/ beside the library (a program that contains the library knows the
 * way). False: there is none. */
bool code_module(const void *code, const char *name, char path[PATH_MAX]);

#endif
