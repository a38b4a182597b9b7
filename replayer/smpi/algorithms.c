/* algorithms.c - the algorithms that SimGrid has for a collective, and what they need. */
#include "config.h"

#include "smpi/algorithms.h"

#include "actions.h"
#include "state.h"
#include "results/timeline.h"
#include "sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <simgrid/engine.h>
#include <smpi/smpi.h>

const smpi_choice smpi_choices[] = {{"allgather", TL_ACTION_ALLGATHER, "ring"},
                                    {"allgatherv", TL_ACTION_ALLGATHERV, "ring"},
                                    {"allreduce", TL_ACTION_ALLREDUCE, "rdb"},
                                    {"alltoall", TL_ACTION_ALLTOALL, "ring"},
                                    {"alltoallv", TL_ACTION_ALLTOALLV, "ring"},
                                    {"barrier", TL_ACTION_BARRIER, "ompi_bruck"},
                                    {"bcast", TL_ACTION_BCAST, "binomial_tree"},
                                    {"gather", TL_ACTION_GATHER, "ompi_binomial"},
                                    {"reduce", TL_ACTION_REDUCE, "binomial"},
                                    {"reduce_scatter", TL_ACTION_REDUCE_SCATTER, "mpich_pair"},
                                    {"scatter", TL_ACTION_SCATTER, "ompi_binomial"}};
enum { N_COLLECTIVES = SMPI_N_COLLECTIVES };

/* ---- the list ---- */

typedef struct question {
    const char *collective;
    int output;
} question;

/* SimGrid has no call that lists its algorithms. It prints the list when it refuses one, and then
 * aborts. */
static void ask(void *arg, int terminal)
{
    const question *q = arg;
    char option[64];
    (void)terminal;
    if (dup2(q->output, STDERR_FILENO) < 0)
        return;
    snprintf(option, sizeof option, "--cfg=smpi/%s:?", q->collective);
    char *argv[] = {(char *)"timeless", option, NULL};
    int argc = 2;
    smpi_init_options();
    simgrid_init(&argc, argv);
    SMPI_init();
}

/* Names in SimGrid's lists that choose among the others, or that are a step of another one: in
 * mvapich2_inter_node only the first rank of each host receives the broadcast. */
static bool is_no_algorithm(const char *name, size_t length)
{
    static const char *const names[] = {
        "default", "ompi", "mpich", "mvapich2", "impi", "automatic", "mvapich2_inter_node"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length))
            return 1;
    return 0;
}

/* "Valid algorithms: default, ring (comment), ompi." becomes "ring"; 0 if there is no list. */
static int take_list(const char *text, char *out)
{
    static const char head[] = "Valid algorithms: ", separators[] = ", .;\n";
    char *const first = out;
    const char *at = strstr(text, head);
    for (at = at ? at + sizeof head - 1 : ""; *at && *at != '\n' && *at != '.' && *at != ';';) {
        const size_t length = strcspn(at, separators);
        if (at[0] != '(' && length && !is_no_algorithm(at, length)) {
            if (out > first)
                *out++ = ',';
            memcpy(out, at, length);
            out += length;
        }
        at += length;
        at += strspn(at, ", ");
    }
    *out = '\0';
    return out > first;
}

tl_status smpi_algorithms(const char *collective, char **out, tl_error *err)
{
    enum { ROOM = 16384 };
    tl_error ignored;
    size_t i = 0;
    while (i < N_COLLECTIVES && strcmp(smpi_choices[i].name, collective) != 0)
        i++;
    if (i == N_COLLECTIVES)
        return tl_fail(err, TL_ERR_USAGE, "the smpi engine has no choice of algorithms for %s",
                       collective);
    const question q = {collective, memfd_create("timeless-algorithms", MFD_CLOEXEC)};
    char *text = calloc(2, ROOM);
    tl_status status = TL_OK;
    if (q.output < 0 || !text) {
        status = tl_no_memory(err, "list of algorithms");
    } else {
        tlr_sandbox_run(ask, (void *)&q, collective, &ignored);
        if (pread(q.output, text + ROOM, ROOM - 1, 0) < 0 || !take_list(text + ROOM, text))
            status = tl_fail(err, TL_ERR_UNSUPPORTED,
                             "this SimGrid does not list its algorithms of %s; name those that you "
                             "want",
                             collective);
    }
    if (q.output >= 0)
        close(q.output);
    if (status == TL_OK)
        *out = text;
    else
        free(text);
    return status;
}

/* ---- algorithms that replace others ---- */

void smpi_note_stand_in(const char *collective, const char *instead, const char *algorithm)
{
    char *text = replay.result->coll_selector, note[128];
    size_t length = strlen(text);
    snprintf(note, sizeof note, "%s %s for %s", collective, instead, algorithm);
    if (strstr(text, note))
        return;
    const bool is_first = text[length - 1] != ')';
    length -= is_first ? 0 : 1;
    snprintf(text + length, sizeof replay.result->coll_selector - length, "%s%s)",
             is_first ? " (" : "; ", note);
}

static bool is_chosen_in(char *const *options, size_t n, const char *collective)
{
    char key[48];
    const int length = snprintf(key, sizeof key, "smpi/%s:", collective);
    for (size_t i = 0; i < n; i++)
        if (!strncmp(options[i], key, (size_t)length))
            return 1;
    return 0;
}

static bool may_replace(size_t k)
{
    const char *name = smpi_choices[k].name;
    return !(replay.replaced & UINT64_C(1) << smpi_choices[k].action) &&
           !is_chosen_in((char *const *)replay.options->cfg, replay.options->n_cfg, name) &&
           !is_chosen_in(replay.platform->options, replay.platform->n_options, name);
}

/* Ranks may be in several collectives when SimGrid stops: the last that was entered comes first. */
int smpi_replace_algorithm(tl_status status)
{
    smpi_result *result = replay.result;
    size_t found = N_COLLECTIVES;
    if (status != TL_ERR_INPUT && status != TLR_ERR_DEADLOCK)
        return 0;
    result->n_inside[TL_ACTION_REDUCE_SCATTER] += result->n_inside[TL_ACTION_REDUCE_SCATTER_BLOCK];
    if (result->collective == TL_ACTION_REDUCE_SCATTER_BLOCK)
        result->collective = TL_ACTION_REDUCE_SCATTER;
    for (size_t k = 0; k < N_COLLECTIVES; k++)
        if (may_replace(k) && (smpi_choices[k].action == result->collective ||
                               (result->n_inside[smpi_choices[k].action] &&
                                status == TL_ERR_INPUT && found == N_COLLECTIVES)))
            found = k;
    if (found == N_COLLECTIVES)
        return 0;
    replay.replaced |= UINT64_C(1) << smpi_choices[found].action;
    memset(result, 0, sizeof *result + replay.n_ranks * sizeof(smpi_rank_result));
    return !replay.options->timeline || tlr_timeline_restart(replay.options->timeline);
}

size_t smpi_replacements(const char **options)
{
    size_t n = 0;
    for (size_t k = 0; k < N_COLLECTIVES; k++)
        if (replay.replaced & UINT64_C(1) << smpi_choices[k].action) {
            char *option = smpi_alloc(48, 1);
            snprintf(option, 48, "smpi/%s:%s", smpi_choices[k].name, smpi_choices[k].flat);
            options[n++] = option;
        }
    return n;
}

void smpi_note_replacements(const char *selector)
{
    for (size_t k = 0; k < N_COLLECTIVES; k++)
        if (replay.replaced & UINT64_C(1) << smpi_choices[k].action)
            smpi_note_stand_in(smpi_choices[k].name, smpi_choices[k].flat, selector);
}

/* ---- needs ---- */

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

static bool is_two(uint32_t n)
{
    return n == 2;
}

/* SimGrid's search for the sides of a mesh: from the square root, or the cube root, up to a half,
 * or a third, of the ranks. */
static bool has_side(uint32_t n, unsigned n_axes)
{
    uint64_t side = 1;
    while ((n_axes == 3 ? (side + 1) * (side + 1) * (side + 1) : (side + 1) * (side + 1)) <= n)
        side++;
    for (; side <= n / n_axes; side++)
        if (n % (n_axes == 3 ? side * side : side) == 0)
            return 1;
    return 0;
}

static bool is_mesh_2d(uint32_t n)
{
    return has_side(n, 2);
}

static bool is_mesh_3d(uint32_t n)
{
    return has_side(n, 3);
}

static const struct {
    const char *collective, *algorithm, *text;
    bool (*is_served)(uint32_t n_ranks);
} needs[] = {
#define SMPI_NEEDS(collective, algorithm, test, text) {#collective, #algorithm, text, test},
#include "smpi/algorithms.def"
};

static const char *lacks(const char *collective, size_t length, const char *algorithm, uint32_t n)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strlen(needs[i].collective) == length &&
            !strncmp(needs[i].collective, collective, length) &&
            !strcmp(needs[i].algorithm, algorithm) && !needs[i].is_served(n))
            return needs[i].text;
    return NULL;
}

/* The size of the first communicator on which the trace makes this blocking call and that the
 * algorithm does not serve; 0: there is none. */
static uint32_t find_lack(const tlr_plan *plan, const char *choice, tl_action action,
                          const char **what)
{
    const size_t length = strcspn(choice, ":");
    for (size_t c = 0; c < plan->n_comms; c++) {
        const tlr_plan_comm *comm = &plan->comms[c];
        if (comm->n_members > 1 && (comm->calls & UINT64_C(1) << action) &&
            (*what = lacks(choice, length, choice + length + 1, comm->n_members)) != NULL)
            return comm->n_members;
    }
    return 0;
}

/* The collective that the option "smpi/alltoall:pair" is about, and "alltoall:pair"; NULL: another
 * option. */
static const char *choice_of(const char *option, size_t *collective)
{
    static const char prefix[] = "smpi/";
    const char *choice = option + sizeof prefix - 1;
    if (strncmp(option, prefix, sizeof prefix - 1) != 0 || !strchr(choice, ':'))
        return NULL;
    const size_t length = strcspn(choice, ":");
    for (size_t k = 0; k < N_COLLECTIVES; k++)
        if (strlen(smpi_choices[k].name) == length &&
            !strncmp(smpi_choices[k].name, choice, length)) {
            *collective = k;
            return choice;
        }
    return NULL;
}

tl_status smpi_check_algorithms(const tlr_plan *plan, const tlr_options *options, tl_error *err)
{
    for (size_t i = 0; i < options->n_cfg; i++) {
        size_t k = 0;
        const char *what = NULL, *choice = choice_of(options->cfg[i], &k);
        const uint32_t n = choice ? find_lack(plan, choice, smpi_choices[k].action, &what) : 0;
        if (n)
            return tl_fail(err, TL_ERR_USAGE,
                           TLR_NOT_POSSIBLE "the algorithm %s of %s needs %s, but the trace calls "
                                            "it on %u ranks; choose another one",
                           strchr(choice, ':') + 1, smpi_choices[k].name, what, n);
    }
    return TL_OK;
}

tl_status smpi_blame_algorithm(tl_action action, const tlr_options *options, tl_error *err)
{
    const tl_error before = *err;
    const char *reason = before.status == TLR_ERR_DEADLOCK        ? "its ranks wait forever"
                         : strstr(before.text, "SimGrid crashed") ? "this SimGrid crashes in it"
                         : strstr(before.text, "SimGrid")         ? "this SimGrid stops in it"
                                                                  : NULL;
    if (action == TL_ACTION_REDUCE_SCATTER_BLOCK)
        action = TL_ACTION_REDUCE_SCATTER;
    for (size_t i = options->n_cfg; i-- > 0 && reason;) {
        size_t k = 0;
        const char *choice = choice_of(options->cfg[i], &k);
        if (!choice || smpi_choices[k].action != action)
            continue;
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       TLR_NOT_POSSIBLE "SimGrid's algorithm %s of %s fails on this call: %s; "
                                        "choose another one",
                       strchr(choice, ':') + 1, smpi_choices[k].name, reason);
    }
    return before.status;
}

tl_status smpi_blame_choice(const tlr_options *options, tl_error *err)
{
    static const char prefix[] = "smpi/", head[] = "! Valid algorithms: ";
    const tl_error before = *err;
    for (size_t i = 0; i < options->n_cfg; i++) {
        char said[128];
        if (strncmp(options->cfg[i], prefix, sizeof prefix - 1) != 0)
            continue;
        const char *choice = options->cfg[i] + sizeof prefix - 1;
        const size_t length = strcspn(choice, ":");
        snprintf(said, sizeof said, "'%.*s' has no algorithm '%s'", (int)length, choice,
                 choice + length + 1);
        const char *list = strstr(before.text, said);
        if (!list || !(list = strstr(list, head)))
            continue;
        list += sizeof head - 1;
        size_t used = strcspn(list, ";."); /* SimGrid 4.0 adds a sentence on its own options */
        const bool is_cut = !list[used];
        while (is_cut && used && list[used] != ',')
            used--;
        return tl_fail(err, TL_ERR_USAGE, "--coll %.*s=%s: there is no such algorithm; give %.*s%s",
                       (int)length, choice, choice + length + 1, (int)used, list,
                       is_cut ? ", ..." : "");
    }
    return before.status;
}
