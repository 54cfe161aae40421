/* Why a file is not accepted; see refusal.h. */
#include "lab/refusal.h"

#include <stdarg.h>
#include <stdio.h>

bool lab_refuse(const struct lab_refusal *refusal, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    *refusal->error = arena_format(refusal->arena, "%s", message);
    return false;
}
