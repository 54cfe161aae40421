/* The cases of test_overlap.c: a name, arrays by type and byte of the block, scalars, the kernel. */
{"carried pointers of two types",
 {{TILEC_I32, 0}, {TILEC_I16, 0}},
 {3},
 1,
 "#include <tilec/kernel.h>\n"
 "launch_grid(k, 1);\n"
 "kernel void k(int *A, short *B, int n)\n"
 "{\n"
 "    auto p = A;\n"
 "    auto q = B;\n"
 "    for (int t = 0; t < n; t++) {\n"
 "        store(p + arange(0, 64), cast(int, load(q + arange(0, 64))));\n"
 "        p += 64;\n"
 "        q += 64;\n"
 "    }\n"
 "}\n"},
    {"carried pointers of two types, narrower stored",
     {{TILEC_I32, 0}, {TILEC_I16, 256}},
     {3},
     1,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *A, short *B, int n)\n"
     "{\n"
     "    auto p = A;\n"
     "    auto q = B;\n"
     "    for (int t = 0; t < n; t++) {\n"
     "        store(q + arange(0, 64), cast(short, load(p + arange(0, 64)) + 1));\n"
     "        p += 64;\n"
     "        q += 64;\n"
     "    }\n"
     "}\n"},
    {"carried pointers backwards",
     {{TILEC_I32, 0}, {TILEC_I16, 0}},
     {1},
     1,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *A, short *B, int n)\n"
     "{\n"
     "    auto p = A;\n"
     "    auto q = B;\n"
     "    for (int t = 0; t < n; t++) {\n"
     "        store(q + (63 - arange(0, 64)), cast(short, load(p + (63 - arange(0, 64))) + 1));\n"
     "        p += 64;\n"
     "        q += 64;\n"
     "    }\n"
     "}\n"},
    {"loaded behind a store, stored over what that one loaded",
     {{TILEC_I32, 0}},
     {0},
     0,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *restrict A)\n"
     "{\n"
     "    int i = arange(0, 16);\n"
     "    store(A + (26 - i), 0);\n"
     "    store(A + i * 3 + 18, load(A + (26 - i)));\n"
     "}\n"},
    {"the same in three steps",
     {{TILEC_U32, 0}},
     {2, 5},
     2,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(unsigned *restrict A, int n, int m)\n"
     "{\n"
     "    int i = arange(0, 64);\n"
     "    unsigned a = load(A + i), b = load(A + i + n);\n"
     "    store(A + i, b);\n"
     "    unsigned c = load(A + i);\n"
     "    store(A + i + m, c + a);\n"
     "    unsigned d = load(A + i + m);\n"
     "    store(A + i, d + b, i < 50);\n"
     "    store(A + i + 100, sum(c) + d);\n"
     "}\n"},
    {"two carried pointers of one type",
     {{TILEC_I32, 64}, {TILEC_I32, 64}},
     {3},
     1,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int *A, const int *B, int n)\n"
     "{\n"
     "    int i = arange(0, 64);\n"
     "    auto p = A + 19;\n"
     "    auto q = B + 16;\n"
     "    for (int t = 0; t < n; t++) {\n"
     "        store(p + i, load(q + i));\n"
     "        store(p + i, load(p + i) + 1);\n"
     "        p += 64;\n"
     "        q += 64;\n"
     "    }\n"
     "}\n"},
    {"wide elements behind an odd byte",
     {{TILEC_I8, 2}, {TILEC_I64, 32}},
     {0},
     0,
     "#include <tilec/kernel.h>\n"
     "launch_grid(k, 1);\n"
     "kernel void k(int8_t *A, int64_t *B)\n"
     "{\n"
     "    int i = arange(0, 32);\n"
     "    store(B + i, load(B + i + 1) ^ load(A + i + 40));\n"
     "    store(A + 2 * i, load(A + 2 * i + 50) & 7);\n"
     "}\n"},
