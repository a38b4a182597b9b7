/* scale.c - what sends and receives cost, times a factor of the user. */
#include "config.h"

#include "hosts.h"
#include "smpi/shims/shims.h"

#include <stdlib.h>
#include <string.h>

/* "smpi/os:0:1e-6:2e-10;8000:..." with the times multiplied by the factor. */
static const char *scaled_overheads(const char *option, double factor)
{
    size_t size;
    char *text = NULL;
    tlr_segments all;
    const char *at = strchr(option, ':') + 1;
    smpi_read_segments(option, at, TLR_OVERHEADS, &all);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the options");
    fprintf(out, "%.*s", (int)(at - option), option);
    for (unsigned i = 0; i < all.n; i++)
        fprintf(out, "%s%.17g:%.17g:%.17g", i ? ";" : "", all.from_bytes[i], all.value[i] * factor,
                all.per_byte[i] * factor);
    if (fclose(out) != 0)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the options");
    return text;
}

void smpi_scale_overheads(const char **list, size_t n, const tlr_options *options)
{
    static const char *const keys[] = {"smpi/os:", "smpi/ois:", "smpi/or:"};
    const double factor =
        tlr_change_factor(options->changes, options->n_changes, TLR_MESSAGE_OVERHEAD, NULL);
    smpi_overheads_scale(factor);
    for (size_t i = 0; i < n && factor != 1; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!strncmp(list[i], keys[k], strlen(keys[k])))
                list[i] = scaled_overheads(list[i], factor);
}
