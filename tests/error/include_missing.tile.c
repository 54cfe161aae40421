#include <tilec/kernel.h>
#include "not-there.h"
---
include_missing.tile.c:2:10: error: cannot include 'not-there.h': No such file or directory
#include "not-there.h"
         ^~~~~~~~~~~~~
