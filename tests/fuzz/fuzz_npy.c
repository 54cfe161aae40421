/* The header of a .npy file: any bytes are refused or understood, and what is understood is true. */
#include "base/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct npy_array array;
    char error[NPY_ERROR_SIZE];
    size_t offset;
    if (npy_parse_header(bytes, size, size, &array, &offset, error) &&
        (array.rank < 0 || array.rank > NPY_MAX_RANK || offset + array.bytes != size ||
         array.count * npy_type_size(array.type) != array.bytes))
        abort();
    return 0;
}
