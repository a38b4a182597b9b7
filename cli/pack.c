/* pack.c - timeless pack: writes a trace again, as small as possible. */
#include "cli.h"
#include "progress.h"
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <timeless_files.h>

enum { OPTION_PRECISION = 256 };

struct pack_options {
    const char *path, *out, *precision;
    double volume_precision;
    int statistical;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write; may be TRACE itself", 0},
    {"volume-precision", OPTION_PRECISION, "HOW", 0,
     "lossless (default); a fraction such as 1e-3, by which volumes and clocks may change; or "
     "statistical: keep the volumes of some iterations",
     0},
    {0}};

/* The origin of the trace: command, trace and its hash, and the origin of that trace. */
static tl_status describe_origin(tl_reader *r, const struct pack_options *o, char *text,
                                 size_t size, tl_error *err)
{
    uint64_t hash;
    TL_TRY(tl_reader_hash(r, &hash, err));
    const char *base = strrchr(o->path, '/'), *before = tl_reader_run(r)->origin;
    snprintf(text, size, "timeless pack --volume-precision %s of %s (%016" PRIx64 ")%s%s",
             o->precision, base ? base + 1 : o->path, hash, *before ? "; " : "", before);
    return TL_OK;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct pack_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case OPTION_PRECISION:
        o->precision = arg;
        o->volume_precision = cli_parse_precision(state, arg, &o->statistical);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out)
            argp_error(state, "where to? give -o FILE");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

int cmd_pack(int argc, char **argv)
{
    struct pack_options o = {0};
    cli_parse(option_table, parse_option, NULL, "TRACE",
              "Write a trace again, as small as it gets.", argc, argv, &o);
    tl_reader *r;
    int code = cli_open_for(o.path, o.out, &r);
    if (code)
        return code;
    tl_error err;
    char origin[1024], remark[256] = "";
    tls_symbols *symbols = tls_symbols_create();
    tl_pack_options options = {.volume_precision = o.volume_precision,
                               .statistical = o.statistical,
                               .find_sources = symbols ? tls_find_sources : NULL,
                               .sources_of = symbols,
                               .remark = remark,
                               .remark_bytes = sizeof remark};
    tl_status status = TL_OK;
    if (o.volume_precision > 0 || o.statistical) {
        status = describe_origin(r, &o, origin, sizeof origin, &err);
        options.origin = origin;
    }
    cli_progress_expect(r, -1, 0, UINT64_MAX);
    if (!status)
        status = tl_pack(r, &options, o.out, &err);
    if (status)
        code = cli_fail(&err);
    else if (*remark)
        fprintf(stderr, "timeless: %s: %s\n", tl_printable(o.path), remark);
    if (!status && symbols)
        tls_report(symbols, o.out, stderr);
    tls_symbols_free(symbols);
    tl_reader_close(r);
    return code;
}
