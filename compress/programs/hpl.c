/* hpl.c - HPL as a program that makes its events: HPL_pdgesv0, HPL_pdgesvK2, and the cursor on
 * them. */
#include "hpl.h"

static const tl_site sites[HPL_N_SITES] = {
    {.id = HPL_AT_MAIN, .object = "HPL_pdtest"},   {.id = HPL_AT_FACT, .object = "HPL_pdfact"},
    {.id = HPL_AT_MXSWP, .object = "HPL_pdmxswp"}, {.id = HPL_AT_BCAST, .object = "HPL_bcast"},
    {.id = HPL_AT_SWAP, .object = "HPL_pdlaswp"},  {.id = HPL_AT_UPDATE, .object = "HPL_pdupdate"},
    {.id = HPL_AT_TRSV, .object = "HPL_pdtrsv"},
};

static const tl_user_kernel moves[HPL_N_MOVES] = {
    {HPL_DLACPY, "HPL_dlacpy"},       {HPL_DLATCPY, "HPL_dlatcpy"},
    {HPL_DLASWP00N, "HPL_dlaswp00N"}, {HPL_DLASWP01N, "HPL_dlaswp01N"},
    {HPL_DLASWP01T, "HPL_dlaswp01T"}, {HPL_DLASWP02N, "HPL_dlaswp02N"},
    {HPL_DLASWP03N, "HPL_dlaswp03N"}, {HPL_DLASWP03T, "HPL_dlaswp03T"},
    {HPL_DLASWP04N, "HPL_dlaswp04N"}, {HPL_DLASWP04T, "HPL_dlaswp04T"},
    {HPL_DLASWP05N, "HPL_dlaswp05N"}, {HPL_DLASWP05T, "HPL_dlaswp05T"},
    {HPL_DLASWP06N, "HPL_dlaswp06N"}, {HPL_DLASWP06T, "HPL_dlaswp06T"},
    {HPL_DLASWP10N, "HPL_dlaswp10N"},
};

static const tl_program_call calls[] = {
    {TL_MPI_Init, HPL_AT_MAIN, 1},     {TL_MPI_Barrier, HPL_AT_MAIN, 1},
    {TL_MPI_Finalize, HPL_AT_MAIN, 1}, {TL_KERNEL_dgemm, 0, 0},
    {TL_KERNEL_dtrsm, 0, 0},           {TL_KERNEL_dtrsv, 0, 0},
    {TL_KERNEL_dgemv, 0, 0},           {TL_KERNEL_dger, 0, 0},
    {TL_KERNEL_daxpy, 0, 0},           {TL_KERNEL_dscal, 0, 0},
    {TL_KERNEL_dcopy, 0, 0},           {TL_KERNEL_idamax, 0, 0},
};

static void emit_call(hpl_rank *r, uint16_t code)
{
    *hpl_next_item(r) = (hpl_item){.call = code, .site = HPL_AT_MAIN};
}

/* ---- windows: panels of a run, a trace of their own ---- */

static int64_t first_panel(const hpl_rank *r)
{
    return r->p->o.past ? r->p->o.from : 0;
}

static int64_t past_panels(const hpl_rank *r)
{
    return r->p->o.past ? r->p->o.past : r->p->n_panels;
}

/* Where a panel begins, and behind the last one. */
static void mark_panel(hpl_rank *r)
{
    if (r->p->o.past)
        emit_call(r, TL_MPI_Pcontrol);
}

/* ---- HPL_pdgesv0: no look-ahead ---- */

enum { FACTOR, BROADCAST, UPDATE };

/* t->i is the panel. */
static int gesv0(hpl_rank *r, hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    hpl_panel *panel = &r->panels[0];
    const int64_t ia = t->i * o->nb;
    if (t->i == past_panels(r)) {
        mark_panel(r);
        return 1;
    }
    switch (t->state) {
    case FACTOR:
        mark_panel(r);
        hpl_panel_init(r, panel, t->i, ia, (int32_t)(o->n - ia < o->nb ? o->n - ia : o->nb),
                       HPL_TAG_FACT + (int32_t)(t->i % HPL_TAGS_FACT));
        hpl_panel_factor(r, panel);
        t->state = BROADCAST;
        break;
    case BROADCAST:
        hpl_broadcast(r, panel);
        t->state = UPDATE;
        break;
    default:
        hpl_update(r, NULL, panel, panel->nq);
        t->state = FACTOR;
        t->i++;
        break;
    }
    return 0;
}

/* ---- HPL_pdgesvK2: panels are factored ahead of the update ---- */

static hpl_panel *panel_at(hpl_rank *r, int64_t i)
{
    return &r->panels[i % (r->p->o.depth + 1)];
}

/* Tags count panels; one is left out where the main loop begins. */
static void init_panel(hpl_rank *r, int64_t i)
{
    const tl_hpl *o = &r->p->o;
    const int64_t ia = i * o->nb < o->n ? i * o->nb : o->n, left = o->n - ia;
    const int64_t tag = i < o->depth ? i : i + 1;
    hpl_panel_init(r, panel_at(r, i), i, ia, (int32_t)(left < o->nb ? left : o->nb),
                   HPL_TAG_FACT + (int32_t)(tag % HPL_TAGS_FACT));
}

static int64_t own_columns(const hpl_rank *r, int64_t n, int64_t from)
{
    return n > 0 ? hpl_local_from(n, from, r->p->o.nb, r->col, r->p->o.q) : 0;
}

/* The first `depth` panels; t->i is the panel. */
static int gesvK2_begin(hpl_rank *r, hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    hpl_panel *panel = panel_at(r, t->i);
    if (t->i == o->depth)
        return 1;
    switch (t->state) {
    case FACTOR:
        hpl_panel_factor(r, panel);
        t->state = BROADCAST;
        break;
    case BROADCAST:
        hpl_broadcast(r, panel);
        t->state = UPDATE;
        break;
    default:
        if (t->i < o->depth - 1) {
            const int64_t done = panel->ia + panel->jb,
                          ahead = panel_at(r, o->depth - 1)->ia + panel_at(r, o->depth - 1)->jb;
            hpl_update(r, NULL, panel, own_columns(r, ahead - done, done));
        }
        t->state = FACTOR;
        t->i++;
        break;
    }
    return 0;
}

enum { LOOK_AHEAD, FACTOR_AHEAD, UPDATE_REST };

/* The panel t->i is factored as soon as its columns are up to date with the `depth` ones before,
 * t->j of which are done; then the oldest of these updates the rest.  t->n are the own columns that
 * no panel has taken. */
static int gesvK2_loop(hpl_rank *r, hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    hpl_panel *panel = panel_at(r, t->i);
    if (t->i >= past_panels(r)) {
        mark_panel(r);
        return 1;
    }
    switch (t->state) {
    case LOOK_AHEAD:
        if (!t->j) {
            init_panel(r, t->i);
            mark_panel(r);
        }
        if (r->col == panel->pcol && t->j < o->depth)
            hpl_update(r, NULL, panel_at(r, t->i - o->depth + t->j++), panel->jb);
        else
            t->state = FACTOR_AHEAD;
        break;
    case FACTOR_AHEAD:
        hpl_panel_factor(r, panel);
        t->state = UPDATE_REST;
        break;
    default: {
        const int64_t own = r->col == panel->pcol ? panel->jb : 0;
        hpl_update(r, panel, panel_at(r, t->i - o->depth), t->n - own);
        t->n -= own;
        t->state = LOOK_AHEAD;
        t->j = 0;
        t->i++;
        break;
    }
    }
    return 0;
}

/* The right-hand side with the last panels; t->i is the panel. */
static int gesvK2_end(hpl_rank *r, hpl_task *t)
{
    if (t->i == t->n)
        return 1;
    hpl_update(r, NULL, panel_at(r, t->i++), own_columns(r, 1, r->p->o.n));
    return 0;
}

/* The panels that a window finds factored and received, the first columns of which are done. */
static void init_panels_before(hpl_rank *r, int64_t from)
{
    const tl_hpl *o = &r->p->o;
    for (int64_t i = from - o->depth; i < from; i++) {
        init_panel(r, i);
        panel_at(r, i)->nq = own_columns(r, o->n + 1 - from * o->nb, from * o->nb);
    }
}

static int gesvK2(hpl_rank *r, hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    const int64_t from = first_panel(r) > o->depth ? first_panel(r) : o->depth;
    const int64_t ahead = from * o->nb < o->n ? from * o->nb : o->n;
    hpl_task *next = NULL;
    switch (t->state++) {
    case 0:
        if (first_panel(r)) {
            init_panels_before(r, from);
            return 0;
        }
        for (int i = 0; i < o->depth; i++)
            init_panel(r, i);
        hpl_begin(r, gesvK2_begin);
        return 0;
    case 1:
        next = hpl_begin(r, gesvK2_loop);
        next->i = from;
        next->n = own_columns(r, o->n + 1 - ahead, ahead);
        return 0;
    case 2:
        if (past_panels(r) < r->p->n_panels)
            return 1;
        next = hpl_begin(r, gesvK2_end);
        next->n = r->p->n_panels > o->depth ? r->p->n_panels : o->depth;
        next->i = next->n - o->depth;
        return 0;
    default: return 1;
    }
}

/* ---- HPL_pdtest ---- */

static void begin_test(hpl_rank *r)
{
    const hpl_program *p = r->p;
    const int64_t delay_ns =
        p->delays_ns
            ? p->delays_ns[p->o.column_major ? r->col * p->o.p + r->row : r->row * p->o.q + r->col]
            : 0;
    emit_call(r, TL_MPI_Init);
    if (!first_panel(r))
        emit_call(r, TL_MPI_Barrier);
    if (delay_ns > 0)
        *hpl_next_item(r) =
            (hpl_item){.call = TL_MPI_Sleep, .site = HPL_AT_MAIN, .bytes = delay_ns};
}

static int test(hpl_rank *r, hpl_task *t)
{
    hpl_task *next = NULL;
    switch (t->state++) {
    case 0:
        begin_test(r);
        if (r->p->o.depth && r->p->o.q > 1) {
            hpl_begin(r, gesvK2);
        } else {
            next = hpl_begin(r, gesv0);
            next->i = first_panel(r);
        }
        return 0;
    case 1:
        if (past_panels(r) == r->p->n_panels)
            hpl_solve(r);
        return 0;
    default: emit_call(r, TL_MPI_Finalize); return 1;
    }
}

/* ---- the cursor ---- */

static tl_status start(const void *program, uint32_t rank, void **state)
{
    const hpl_program *p = program;
    const int32_t number = (int32_t)rank;
    hpl_rank *r = calloc(1, sizeof *r);
    *state = r;
    if (!r)
        return TL_ERR_MEMORY;
    r->p = p;
    r->row = p->o.column_major ? number % p->o.p : number / p->o.q;
    r->col = p->o.column_major ? number / p->o.p : number % p->o.q;
    hpl_begin(r, test);
    const tl_status status = hpl_pivots_open(r);
    return status == TL_OK ? hpl_solve_open(r) : status;
}

static void stop(void *state)
{
    hpl_rank *r = state;
    if (!r)
        return;
    hpl_pivots_close(r);
    free(r->solution);
    free(r->items);
    free(r);
}

/* Works until there are events that have not been taken. */
static tl_status make_some(hpl_rank *r)
{
    while (r->next_item == r->n_items) {
        if (r->out_of_memory)
            return TL_ERR_MEMORY;
        if (!r->n_tasks)
            return TL_END;
        r->n_items = r->next_item = 0;
        const int top = r->n_tasks - 1;
        if (r->tasks[top].step(r, &r->tasks[top]))
            r->n_tasks--;
    }
    return TL_OK;
}

static tl_status next(void *state, tl_event *event)
{
    hpl_rank *r = state;
    if (r->next_item == r->n_items) {
        const tl_status status = make_some(r);
        if (status != TL_OK)
            return status;
    }
    hpl_event(r, &r->items[r->next_item++], event);
    return TL_OK;
}

static tl_status take(void *state, const tl_short_event **events, size_t *n)
{
    hpl_rank *r = state;
    const tl_status status = make_some(r);
    *events = r->items + r->next_item;
    *n = r->n_items - r->next_item;
    r->next_item = r->n_items;
    return status;
}

static void expand(void *state, const tl_short_event *from, tl_event *event)
{
    hpl_event(state, from, event);
}

static void set_asker(void *state, tl_asker *ask, void *arg)
{
    hpl_rank *r = state;
    r->ask = ask;
    r->ask_arg = arg;
}

static void look_ahead(void *state, uint32_t n_probes)
{
    hpl_rank *r = state;
    r->ahead = n_probes;
}

/* ---- the program ---- */

static void close_program(void *program)
{
    hpl_program *p = program;
    if (!p)
        return;
    free(p->steps[0]);
    free(p->steps[1]);
    free(p->rows);
    free(p->pivots);
    free(p->text);
    tl_hpl_free(&p->o);
    free(p);
}

/* A window has marks of its own; the barrier is where the run begins. */
static void list_calls(hpl_program *p)
{
    const tl_hpl *o = &p->o;
    const int64_t ahead = o->depth && o->q > 1 ? o->depth : 0;
    const int64_t first = o->from > ahead ? o->from : ahead;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].call != TL_MPI_Barrier || !o->from)
            p->calls[p->n_calls++] = calls[i];
    if (o->past)
        p->calls[p->n_calls++] =
            (tl_program_call){TL_MPI_Pcontrol, HPL_AT_MAIN, (uint64_t)(o->past - first + 1)};
}

static void delay(void *program, const int64_t *delays_ns)
{
    hpl_program *p = program;
    p->delays_ns = delays_ns;
}

static tl_status open_program(const char *parameters, void **program, tl_error *err)
{
    hpl_program *p = calloc(1, sizeof *p);
    tl_status status = p ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "hpl:%s: out of memory", parameters);
    if (status == TL_OK && (status = tl_hpl_parse(parameters, &p->o, err)) == TL_OK) {
        p->n_panels = tl_hpl_panels(&p->o);
        list_calls(p);
        const size_t size = tl_hpl_text(&p->o, NULL, 0) + 1;
        p->text = malloc(size);
        if (p->text)
            tl_hpl_text(&p->o, p->text, size);
        status = p->text ? hpl_panel_prepare(p) : TL_ERR_MEMORY;
        if (status != TL_OK)
            tl_error_set(err, status, "hpl:%s: out of memory", parameters);
        else
            status = hpl_pivots_prepare(p, err);
    }
    if (status != TL_OK) {
        close_program(p);
        return status;
    }
    *program = p;
    return TL_OK;
}

static tl_program_face face(const void *program)
{
    const hpl_program *p = program;
    return (tl_program_face){.n_ranks = (uint32_t)(p->o.p * p->o.q),
                             .text = p->text,
                             .hash = p->rows_hash,
                             .sites = sites,
                             .n_sites = HPL_N_SITES,
                             .kernels = moves,
                             .n_kernels = p->o.moves ? HPL_N_MOVES : 0,
                             .calls = p->calls,
                             .n_calls = p->n_calls};
}

const tl_program_kind tl_program_hpl = {.name = "hpl",
                                        .open = open_program,
                                        .close = close_program,
                                        .face = face,
                                        .start = start,
                                        .next = next,
                                        .take = take,
                                        .expand = expand,
                                        .delay = delay,
                                        .set_asker = set_asker,
                                        .look_ahead = look_ahead,
                                        .stop = stop};
