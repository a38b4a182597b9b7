/* declare.c - kernels whose cost is declared instead of measured. */
#include "calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USER_PREFIX "user:"

/* A kernel that traces record, or a kernel of the program. The rule is that of read_name() in
 * replayer/machine/model_read.c, without characters that a string of libconfig would have to
 * escape. */
static int is_kernel(const char *name)
{
    if (!strncmp(name, USER_PREFIX, strlen(USER_PREFIX)))
        return name[strlen(USER_PREFIX)] && !strpbrk(name, "\"\\\n");
    const tl_call_info *info = tl_call_by_name(name);
    return info && info->action == TL_ACTION_KERNEL && info->code != TL_KERNEL_user;
}

/* Parses seconds, up to `end`. */
static int take_seconds(const char **text, char end, double *out)
{
    char *rest;
    errno = 0;
    *out = strtod(*text, &rest);
    const int found = rest != *text && *rest == end && !errno && isfinite(*out) && *out >= 0;
    *text = rest + (found && end);
    return found;
}

tl_status tlp_declaration_parse(const char *text, tlp_declaration *out, tl_error *err)
{
    *out = (tlp_declaration){0};
    const char *equals = strrchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    if (!length || length >= sizeof out->kernel)
        return tl_fail(err, TL_ERR_USAGE, "'%s': give KERNEL=SECONDS,SECONDS_PER_WORK", text);
    memcpy(out->kernel, text, length);
    if (!is_kernel(out->kernel))
        return tl_fail(err, TL_ERR_USAGE,
                       "'%s' is not a kernel; timeless-model(5) lists the kernels", out->kernel);
    const char *rest = equals + 1;
    if (!take_seconds(&rest, ',', &out->intercept_s) ||
        !take_seconds(&rest, '\0', &out->per_work_s))
        return tl_fail(err, TL_ERR_USAGE,
                       "'%s': give the seconds of a call and those of a unit of work, as in "
                       "dgemm=1e-5,2e-11",
                       text);
    return TL_OK;
}

const tlp_declaration *tlp_find_declaration(const tlp_declaration *list, size_t n,
                                            const char *kernel)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i].kernel, kernel))
            return &list[i];
    return NULL;
}
