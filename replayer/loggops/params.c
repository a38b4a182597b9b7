/* params.c - reads the parameters of the network. */
#include "config.h"

#include "loggops.h"

#include "machine/duration.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The values of a group, in picoseconds or bytes. */
enum { P_L, P_o, P_g, P_G, P_O, P_B, P_oi, P_Oi, P_or, P_Or, P_R, P_S, P_from, N_PARAMETERS };

static const struct parameter {
    const char *name;
    bool is_bytes;
} parameters[N_PARAMETERS] = {
    [P_L] = {"L", 0},      [P_o] = {"o", 0},   [P_g] = {"g", 0},   [P_G] = {"G", 0},
    [P_O] = {"O", 0},      [P_B] = {"B", 0},   [P_oi] = {"oi", 0}, [P_Oi] = {"Oi", 0},
    [P_or] = {"or", 0},    [P_Or] = {"Or", 0}, [P_R] = {"R", 0},   [P_S] = {"S", 1},
    [P_from] = {"from", 1}};

typedef struct parameter_group {
    double values[N_PARAMETERS];
    uint64_t S_bytes, from_bytes;
    unsigned given;      /* a bit for each parameter */
    unsigned given_here; /* likewise, in this group itself */
    const tlr_params_change *changes;
    size_t n_changes;
    bool is_within;
} parameter_group;

static tl_status wrong(const char *text, const char *at, tl_error *err)
{
    return tl_fail(err, TL_ERR_USAGE,
                   "--params '%s': is not valid at '%s'; write "
                   "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536,R=0.1ns (S in bytes; S and R may be "
                   "left out)",
                   text, at);
}

static const struct parameter *find_parameter(const char *at)
{
    const size_t length = strcspn(at, "=,;");
    for (int i = 0; i < N_PARAMETERS && at[length] == '='; i++)
        if (strlen(parameters[i].name) == length && !strncmp(parameters[i].name, at, length))
            return &parameters[i];
    return NULL;
}

/* The letter of the parameter that this one replaces: o of oi and or, G of B. */
static char family_of(int number)
{
    return number == P_B ? 'G' : parameters[number].name[0];
}

/* The value that a change gives to the parameter of its letter. */
static void set_value(parameter_group *g, int number, const tlr_params_change *c)
{
    if (c->is_factor || parameters[number].name[0] != c->letter || parameters[number].name[1])
        return;
    if (number == P_S)
        g->S_bytes = (uint64_t)c->value;
    else
        g->values[number] = c->value;
    g->given |= 1u << number;
}

static void change_value(parameter_group *g, int number)
{
    for (size_t i = 0; i < g->n_changes; i++) {
        const tlr_params_change *c = &g->changes[i];
        if (c->is_factor && !parameters[number].is_bytes && family_of(number) == c->letter)
            g->values[number] *= c->value;
        if (!g->is_within)
            set_value(g, number, c);
    }
}

/* Parses "L=5us"; *at is behind it then. Returns 0 if the text has another form. */
static int read_parameter(const char **at, parameter_group *g)
{
    const struct parameter *p = find_parameter(*at);
    const int number = p ? (int)(p - parameters) : 0;
    if (!p || g->given_here >> number & 1) /* twice in a group: which one is meant? */
        return 0;
    const char *value = *at + strlen(p->name) + 1, *end;
    if (p->is_bytes) {
        if (!tlr_parse_bytes(value, &end, number == P_S ? &g->S_bytes : &g->from_bytes))
            return 0;
    } else {
        g->values[number] = tlr_parse_ps(value, &end);
        if (!(g->values[number] <= 1e18))
            return 0;
    }
    change_value(g, number);
    g->given |= 1u << number;
    g->given_here |= 1u << number;
    *at = end;
    return 1;
}

static uint64_t whole_ps(double ps)
{
    return (uint64_t)llrint(ps);
}

/* Values that a group does not give follow from its other values. */
static loggops_costs costs_of_group(const parameter_group *g)
{
    const double *v = g->values;
    const unsigned given = g->given;
    const double oi = given & 1u << P_oi ? v[P_oi] : v[P_o];
    const double Oi = given & 1u << P_Oi ? v[P_Oi] : v[P_O];
    return (loggops_costs){.from_bytes = given & 1u << P_from ? g->from_bytes : 0,
                           .L_ps = whole_ps(v[P_L]),
                           .g_ps = whole_ps(v[P_g]),
                           .o_ps = whole_ps(v[P_o]),
                           .o_start_ps = whole_ps(oi),
                           .o_receive_ps = whole_ps(given & 1u << P_or ? v[P_or] : v[P_o]),
                           .G_ps_byte = v[P_G],
                           .B_ps_byte = given & 1u << P_B ? v[P_B] : v[P_G],
                           .O_ps_byte = v[P_O],
                           .O_start_ps_byte = Oi,
                           .O_receive_ps_byte = given & 1u << P_Or ? v[P_Or] : v[P_O]};
}

/* Adds the group to its path; 0 if its sizes do not continue those before. */
static int add_group(loggops_path *path, const loggops_costs *costs)
{
    const bool is_next =
        path->n ? costs->from_bytes > path->sizes[path->n - 1].from_bytes : !costs->from_bytes;
    if (!is_next || path->n == LOGGOPS_MAX_SIZES)
        return 0;
    path->sizes[path->n++] = *costs;
    return 1;
}

/* One group, up to a ';' or the end. */
static tl_status read_group(const char *text, const char **at, parameter_group *g, tl_error *err)
{
    g->given_here = 0;
    for (;; (*at)++) {
        const char *begin = *at;
        if (!read_parameter(at, g) || !strchr(",;", **at))
            return wrong(text, begin, err);
        if (**at != ',' || !(*at)[1])
            break;
    }
    *at += **at == ',';
    return TL_OK;
}

static tl_status check_first(const char *text, const parameter_group *g, tl_error *err)
{
    for (int i = P_L; i <= P_O; i++)
        if (!(g->given >> i & 1))
            return tl_fail(err, TL_ERR_USAGE, "--params '%s': %s is missing", text,
                           parameters[i].name);
    return TL_OK;
}

static const loggops_path *path_of(const loggops_network *n, bool is_within)
{
    return is_within ? &n->within : &n->between;
}

uint64_t loggops_least_latency_ps(const loggops_path *path, uint64_t S_bytes)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < path->n; i++) {
        const loggops_costs *c = &path->sizes[i];
        const bool is_free = path->charges_as_smpi && c->from_bytes >= S_bytes;
        const uint64_t o_ps = is_free ? 0 : c->o_ps < c->o_start_ps ? c->o_ps : c->o_start_ps;
        if ((!i || c->from_bytes < S_bytes) && c->L_ps + o_ps < least)
            least = c->L_ps + o_ps;
    }
    return least;
}

static tl_status check_network(const char *text, const loggops_network *n, tl_error *err)
{
    if (!n->between.n)
        return tl_fail(err, TL_ERR_USAGE,
                       "--params '%s': the parameters of messages between nodes are missing; they "
                       "come first",
                       text);
    for (int is_within = 0; is_within <= n->has_within; is_within++)
        if (!loggops_least_latency_ps(path_of(n, is_within), n->params.S_bytes))
            return tl_fail(err, TL_ERR_USAGE, "--params '%s': L + o must be over 0", text);
    return TL_OK;
}

void loggops_set_params(loggops_network *n)
{
    const loggops_costs *first = &n->between.sizes[0];
    n->params =
        (loggops_params){first->L_ps,      first->o_ps,       first->g_ps,        first->G_ps_byte,
                         first->O_ps_byte, n->params.S_bytes, n->params.R_ps_byte};
}

static tl_status parse_network(const char *text, const tlr_params_change *changes, size_t n_changes,
                               loggops_network *out, tl_error *err)
{
    static const char local[] = "local:";
    loggops_network n = {.params = {.S_bytes = UINT64_MAX}};
    parameter_group groups[2] = {
        {.S_bytes = UINT64_MAX, .changes = changes, .n_changes = n_changes}};
    for (size_t i = 0; i < n_changes; i++)
        for (int number = 0; number < N_PARAMETERS; number++)
            set_value(&groups[0], number, &changes[i]);
    for (const char *at = text; *at || at == text; at += *at == ';') {
        const char *begin = at;
        const bool is_within = !strncmp(at, local, sizeof local - 1);
        loggops_path *path = is_within ? &n.within : &n.between;
        parameter_group *g = &groups[is_within];
        if (is_within) {
            at += sizeof local - 1;
            if (!n.has_within) {
                *g = groups[0];
                g->given &= ~(1u << P_from);
                g->is_within = 1;
            }
            n.has_within = 1;
        }
        if (!*text)
            return check_first(text, g, err);
        TL_TRY(read_group(text, &at, g, err));
        TL_TRY(check_first(text, g, err));
        if (begin != text && g->given_here & (1u << P_S | 1u << P_R))
            return tl_fail(err, TL_ERR_USAGE,
                           "--params '%s': S and R hold for all messages; give them in the first "
                           "group",
                           text);
        const loggops_costs costs = costs_of_group(g);
        if (!add_group(path, &costs))
            return wrong(text, begin, err);
        n.move_bytes |= (g->given >> P_or & 1) || (g->given >> P_Or & 1);
        n.params.S_bytes = groups[0].S_bytes;
        n.params.R_ps_byte = groups[0].values[P_R];
    }
    loggops_set_params(&n);
    TL_TRY(check_network(text, &n, err));
    *out = n;
    return TL_OK;
}

tl_status loggops_parse_network(const char *text, loggops_network *out, tl_error *err)
{
    return parse_network(text, NULL, 0, out, err);
}

tl_status loggops_read_params(const tlr_options *options, loggops_network *out, tl_error *err)
{
    return parse_network(options->loggops_params, options->params_changes,
                         options->n_params_changes, out, err);
}

tl_status loggops_parse_params(const char *text, loggops_params *out, tl_error *err)
{
    loggops_network n;
    TL_TRY(loggops_parse_network(text, &n, err));
    *out = n.params;
    return TL_OK;
}
