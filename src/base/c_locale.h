#ifndef TILEC_BASE_C_LOCALE_H
#define TILEC_BASE_C_LOCALE_H
/*
 * The decimal point is a point, whatever locale the host program has set: every text that is made or
 * read has one form. guard_run enters around all work; the rest is for what runs outside of it.
 */
#include <locale.h>

struct c_locale {
    locale_t c, before;
};

/* For this thread only. Allocates nothing with glibc; where it fails the locale stays as it is. */
struct c_locale c_locale_enter(void);
void c_locale_leave(struct c_locale entered);

#endif
