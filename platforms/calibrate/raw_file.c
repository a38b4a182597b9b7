/* raw_file.c - writes measurements as CSV and reads them. */
#include "calibrate.h"

#include "archive.h"
#include "machine.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "kernel,d0,d1,d2,work,core,repeats,seconds"

tl_status tlp_write_raw(const tlp_result *result, FILE *out, tl_error *err)
{
    fprintf(out, "# seed %lu instruction_s %.17g threads %u moment %s processor %s\n" HEADER "\n",
            result->seed, result->instruction_s, result->threads,
            *result->moment ? result->moment : "unknown", result->processor);
    for (size_t i = 0; i < result->n_samples; i++) {
        const tlp_sample *s = &result->samples[i];
        fprintf(out, "%s,%d,%d,%d,%.0f,%u,%u,%.17g\n", tl_call_by_code(s->call.kernel)->name,
                s->call.sizes[0], s->call.sizes[1], s->call.sizes[2], s->work, s->core, s->repeats,
                s->seconds);
    }
    if (fflush(out) == 0 && !ferror(out))
        return TL_OK;
    return tl_fail(err, TL_ERR_SYSTEM, "the measurements cannot be written: %s; check the disk",
                   strerror(errno));
}

/* The next field as a whole number, at most `most`. */
static int take_number(char **rest, long least, long most, long *out)
{
    char *field = strsep(rest, ","), *end = field;
    if (!field)
        return 0;
    errno = 0;
    *out = strtol(field, &end, 10);
    return end != field && !*end && !errno && *out >= least && *out <= most;
}

/* 1: a measurement, 0: an empty line or a comment, -1: neither. */
static int parse_line(char *line, tlp_sample *out)
{
    long d[3], core, repeats;
    if (*line == '#' || !*line || !strcmp(line, HEADER))
        return 0;
    char *rest = line, *end = line;
    const char *name = strsep(&rest, ",");
    const int sized = take_number(&rest, 0, INT32_MAX, &d[0]) &&
                      take_number(&rest, 0, INT32_MAX, &d[1]) &&
                      take_number(&rest, 0, INT32_MAX, &d[2]);
    const char *work = sized ? strsep(&rest, ",") : NULL;
    if (!work || !take_number(&rest, 0, UINT16_MAX, &core) ||
        !take_number(&rest, 0, INT32_MAX, &repeats) || !rest)
        return -1;
    const double seconds = strtod(rest, &end);
    if (end == rest || *end || !(seconds > 0))
        return -1;
    const tl_call_info *info = tl_call_by_name(name);
    if (!info || info->action != TL_ACTION_KERNEL || info->code >= TL_KERNEL_user)
        return -1;
    *out = (tlp_sample){.call = {.kernel = info->code,
                                 .right = d[2] && d[2] == d[1] && d[2] != d[0],
                                 .sizes = {(int32_t)d[0], (int32_t)d[1], (int32_t)d[2]}},
                        .core = (uint16_t)core,
                        .repeats = (uint32_t)repeats,
                        .seconds = seconds};
    /* The sizes of some other kernels are more than three. */
    out->work = tlp_is_measured(info->code) ? tlp_call_work(&out->call) : strtod(work, NULL);
    return 1;
}

/* The line of '#' with the conditions of the measurement; older files have less of them. */
static void parse_head(const char *line, tlp_result *result)
{
    static const char seed[] = "# seed ", instruction[] = " instruction_s ",
                      threads[] = " threads ", processor[] = " processor ", moment[] = " moment ";
    if (strncmp(line, seed, sizeof seed - 1) != 0)
        return;
    result->seed = strtoul(line + sizeof seed - 1, NULL, 10);
    const char *at = strstr(line, instruction);
    if (at)
        result->instruction_s = strtod(at + sizeof instruction - 1, NULL);
    const unsigned long stated =
        (at = strstr(line, threads)) ? strtoul(at + sizeof threads - 1, NULL, 10) : 1;
    result->threads = stated > 0 && stated <= TLP_MAX_THREADS ? (unsigned)stated : 1;
    /* Up to the blank behind it. */
    if ((at = strstr(line, moment)) && strncmp(at + sizeof moment - 1, "unknown ", 8) != 0)
        snprintf(result->moment, sizeof result->moment, "%.*s",
                 (int)strcspn(at + sizeof moment - 1, " "), at + sizeof moment - 1);
    if ((at = strstr(line, processor)))
        snprintf(result->processor, sizeof result->processor, "%s", at + sizeof processor - 1);
}

static tl_status read_lines(const char *path, FILE *in, tlp_result *result, tl_error *err)
{
    char line[256];
    size_t room = 0;
    for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (result->n_samples == room) {
            room = 2 * room + 1024;
            tlp_sample *more = realloc(result->samples, room * sizeof *more);
            if (!more)
                return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
            result->samples = more;
        }
        parse_head(line, result);
        tlp_sample *next = &result->samples[result->n_samples];
        const int found = parse_line(line, next);
        if (found < 0)
            return tl_fail(err, TL_ERR_INPUT, "%s:%u: not a line of " HEADER "; correct it", path,
                           number);
        if (found && next->core >= result->cores)
            result->cores = next->core + 1U;
        result->n_samples += (size_t)found;
    }
    return TL_OK;
}

tl_status tlp_read_raw(const char *path, tlp_result **out, tl_error *err)
{
    FILE *in = NULL;
    tlp_result *result = calloc(1, sizeof *result);
    tl_status status = result ? tlp_open_raw(path, TLP_RAW_KERNELS, &in, err)
                              : tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
    if (status == TL_OK) {
        result->instruction_s = -1;
        result->threads = 1;
        tlp_cpu_name(result->processor, sizeof result->processor);
        status = read_lines(path, in, result, err);
        fclose(in);
    }
    if (status == TL_OK && !result->n_samples)
        status = tl_fail(err, TL_ERR_INPUT, "%s: has no measurements; give what --raw wrote", path);
    if (status == TL_OK) {
        *out = result;
        result = NULL;
    }
    tlp_result_free(result);
    return status;
}
