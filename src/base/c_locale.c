/* The "C" locale for a while; see c_locale.h. */
#include "base/c_locale.h"

struct c_locale c_locale_enter(void)
{
    struct c_locale entered = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (entered.c)
        entered.before = uselocale(entered.c);
    return entered;
}

void c_locale_leave(struct c_locale entered)
{
    if (!entered.c)
        return;
    uselocale(entered.before);
    freelocale(entered.c);
}
