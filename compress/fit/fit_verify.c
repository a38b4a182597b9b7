/* fit_verify.c - compares the events of a skeleton with those of a capture. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "core/error.h"
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_list(const tl_event *a, const tl_event *b)
{
    return a->list_len == b->list_len &&
           (!a->list_len || !memcmp(a->list, b->list, a->list_len * sizeof *a->list));
}

/* `drawn`: sizes may differ, but not how many there are. */
static bool same(const tl_event *a, const tl_event *b, bool drawn)
{
    return a->call == b->call && a->flags == b->flags && a->comm == b->comm &&
           a->new_comm == b->new_comm && a->request == b->request && a->peer == b->peer &&
           a->tag == b->tag && a->recv_peer == b->recv_peer && a->recv_tag == b->recv_tag &&
           a->type_bytes == b->type_bytes && a->recv_type_bytes == b->recv_type_bytes &&
           (drawn ? a->list_len == b->list_len
                  : a->count == b->count && a->recv_count == b->recv_count && same_list(a, b));
}

/* Numbers in place of the ids of communicators. */
static void number_comms(const skeleton *s, uint32_t rank, const tl_call_info *row, tl_event *e)
{
    const uint32_t comm = e->comm, new_comm = e->new_comm;
    e->comm = comm == TL_COMM_SELF ? SKEL_SELF : SKEL_WORLD;
    for (uint32_t i = 0; i < s->comms.n && row->slots & TL_SLOT_COMM; i++) {
        const uint32_t id = skel_comm_id(s, SKEL_FIRST_COMM + i, rank);
        if (id && id == comm)
            e->comm = SKEL_FIRST_COMM + i;
        if (id && id == new_comm)
            e->new_comm = SKEL_FIRST_COMM + i;
    }
}

tl_status fit_next_event(void *walk, const skeleton *s, uint32_t rank, tl_event *e)
{
    const tl_status status = skel_next(walk, e);
    if (status == TL_OK)
        number_comms(s, rank, tl_call_by_code(e->call), e);
    return status;
}

static void differ(const fitting *f, uint32_t rank, size_t event, const tl_event *made,
                   const fit_event *recorded, char why[400])
{
    char text[300] = "the end";
    if (recorded)
        fit_call_text(f, recorded->symbol, text);
    snprintf(why, 400, "rank %" PRIu32 ", event %zu: %s of the skeleton, %.250s of the capture%s",
             rank, event, made ? tl_call_by_code(made->call)->name : "the end", text,
             made && recorded && made->call == recorded->e.call ? ", with other values" : "");
}

/* Compares an event, and notes what is drawn in it. */
static bool same_event(fitting *f, uint32_t capture, uint32_t rank, const tl_event *e,
                       const fit_event *recorded, char why[400])
{
    const bool is_drawn = recorded && fit_draw_of(f, recorded->symbol);
    const fit_event made = {*e, recorded ? recorded->symbol : 0};
    char text[300];
    if (!recorded || !same(e, &recorded->e, is_drawn))
        return false;
    if (!is_drawn || fit_draw_note(f, capture, rank, &made, recorded))
        return true;
    snprintf(why, 400,
             "%.250s: the two sides of a message do not draw the same bytes: their elements "
             "have other sizes, or their messages another order",
             fit_call_text(f, recorded->symbol, text));
    return false;
}

static bool same_rank(fitting *f, const skeleton *s, uint32_t capture, uint32_t rank, char why[400])
{
    const fit_capture *c = &f->captures[capture];
    const fit_event *recorded = c->events + c->first[rank];
    const size_t n = c->first[rank + 1] - c->first[rank];
    fit_numbers numbers = {0};
    void *walk;
    tl_event e;
    size_t i = 0;
    tl_status status = skel_start(s, rank, &walk);
    bool ok = status == TL_OK;
    while (ok && (status = fit_next_event(walk, s, rank, &e)) == TL_OK) {
        const tl_call_info *row = tl_call_by_code(e.call);
        if (row->action == TL_ACTION_INIT)
            continue;
        const fit_event *other = i < n ? &recorded[i] : NULL;
        ok = fit_number(&numbers, row, &e) && same_event(f, capture, rank, &e, other, why);
        f->made += (double)e.volume;
        f->captured += other ? (double)other->e.volume : 0;
        if (!ok && !*why)
            differ(f, rank, i + 1, &e, other, why);
        i++;
    }
    if (ok && status != TL_END)
        snprintf(why, 400, "%.390s", skel_error(walk)->text);
    else if (ok && i < n)
        differ(f, rank, i + 1, NULL, &recorded[i], why);
    skel_stop(walk);
    fit_numbers_free(&numbers);
    return ok && status == TL_END && i == n;
}

/* ---- how much is the same ---- */

/* What the call sends. */
double fit_bytes(const tl_event *e)
{
    const tl_call_info *row = tl_call_by_code(e->call);
    const int kind = tl_meaning_of(row->action)->kind;
    double n = (double)e->count;
    if (kind == TL_KIND_RECEIVE || row->action == TL_ACTION_KERNEL)
        return 0;
    for (uint32_t i = 0; tl_is_collective(row->action) && i < e->list_len; i++)
        n += (double)e->list[i];
    return n * (double)e->type_bytes;
}

static uint64_t key_of(const tl_event *e, fit_but but)
{
    const bool has_peers = but != FIT_BUT_PEERS, has_counts = but != FIT_BUT_SIZES;
    const int64_t parts[] = {e->call,
                             e->flags,
                             e->comm,
                             e->new_comm,
                             has_peers ? e->peer : 0,
                             e->tag,
                             has_peers ? e->recv_peer : 0,
                             e->recv_tag,
                             has_counts ? e->type_bytes : 0,
                             has_counts ? e->recv_type_bytes : 0,
                             has_counts ? e->count : 0,
                             has_counts ? e->recv_count : 0};
    const bool has_sizes = has_counts && tl_call_by_code(e->call)->action != TL_ACTION_WAIT;
    uint64_t key = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = tl_draw(key, (uint64_t)parts[i]);
    for (uint32_t i = 0; has_sizes && i < e->list_len; i++)
        key = tl_draw(key, (uint64_t)e->list[i]);
    return tl_draw(key, e->list_len);
}

uint64_t fit_message_key(const skeleton *s, uint32_t comm, uint32_t from, int32_t peer, int32_t tag,
                         bool is_sent)
{
    const skel_comm *c = skel_comm_at(s, comm);
    uint32_t to = comm == SKEL_SELF ? from : (uint32_t)peer;
    if (c && to < c->size[from])
        to = (uint32_t)c->members[c->first[from] + to];
    const uint64_t ends = is_sent ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from;
    return tl_draw(tl_draw(comm, ends), (uint64_t)tag);
}

static void count_end(fitting *f, const skeleton *s, uint32_t from, int32_t peer, int32_t tag,
                      const tl_event *e, uint32_t symbol, bool is_sent)
{
    if (peer < 0)
        return;
    uint64_t *n = tl_map_at(&f->ends, fit_message_key(s, e->comm, from, peer, tag, is_sent));
    if (!n) {
        fit_out_of_memory(f);
        return;
    }
    const int64_t before = (int64_t)*n;
    f->scores[symbol].open += (is_sent ? before >= 0 : before <= 0) ? 1 : -1;
    *n = (uint64_t)(before + (is_sent ? 1 : -1));
}

/* A collective has the same call and root on all members. Those of other call sites are counted by
 * themselves. */
static void count_member(fitting *f, const skeleton *s, uint32_t rank, const tl_event *e,
                         uint32_t symbol)
{
    const skel_comm *c = skel_comm_at(s, e->comm);
    const int32_t first_member = c ? c->members[c->first[rank]] : 0;
    const uint64_t comm =
        tl_draw(tl_draw(~(uint64_t)e->comm, (uint64_t)first_member), f->groups[symbol]);
    const bool has_root = tl_is_rooted(tl_call_by_code(e->call)->action);
    const uint64_t call = tl_draw(e->call, has_root ? (uint64_t)e->peer : 0) | 1;
    uint64_t *turn = tl_map_at(&f->ends, tl_draw(comm, rank));
    uint64_t *first = turn ? tl_map_at(&f->ends, tl_draw(~comm, (*turn)++)) : NULL;
    if (!first)
        fit_out_of_memory(f);
    else if (*first)
        f->scores[symbol].open += *first == call ? -1 : 1;
    else
        f->scores[symbol].open += (int64_t)(c ? c->size[rank] : s->n_ranks) - 1;
    if (first && !*first)
        *first = call;
}

static void count_ends(fitting *f, const skeleton *s, uint32_t rank, const tl_event *e,
                       uint32_t symbol)
{
    const int kind = tl_meaning_of(tl_call_by_code(e->call)->action)->kind;
    if (kind == TL_KIND_SEND || kind == TL_KIND_SENDRECV)
        count_end(f, s, rank, e->peer, e->tag, e, symbol, true);
    if (kind == TL_KIND_RECEIVE)
        count_end(f, s, rank, e->peer, e->tag, e, symbol, false);
    if (kind == TL_KIND_SENDRECV)
        count_end(f, s, rank, e->recv_peer, e->recv_tag, e, symbol, false);
    if (tl_is_collective(tl_call_by_code(e->call)->action) && e->comm != SKEL_SELF)
        count_member(f, s, rank, e, symbol);
}

/* A call of the skeleton counts for its call site: sites have the order of the text. */
static void score(fitting *f, const skeleton *s, uint32_t rank, const tl_event *e, bool is_exact)
{
    const fit_written *all = f->lines.items;
    if (!e->site || e->site > f->lines.n)
        return;
    const uint32_t symbol = all[e->site - 1].symbol;
    f->scores[symbol].exact += is_exact;
    count_ends(f, s, rank, e, symbol);
}

/* Counts a call of the capture at its call site, or one of the skeleton that is like one of those.
 */
static void count_like(fitting *f, tl_map *recorded, const tl_event *e, uint32_t symbol,
                       bool is_made)
{
    fit_score *s = &f->scores[symbol];
    *(is_made ? &s->made : &s->recorded) += 1;
    for (unsigned but = 0; but < FIT_N_BUT; but++) {
        uint64_t *n = tl_map_at(recorded, tl_draw(tl_draw(key_of(e, but), symbol), but));
        if (!n) {
            fit_out_of_memory(f);
        } else if (!is_made) {
            ++*n;
        } else if (*n) {
            --*n;
            s->like[but]++;
        }
    }
}

/* The same for all calls of a rank. */
static void count_rank_likes(fitting *f, const skeleton *s, uint32_t capture, uint32_t rank)
{
    const fit_capture *c = &f->captures[capture];
    const fit_written *all = f->lines.items;
    tl_map recorded = {0};
    void *walk;
    tl_event e;
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++)
        if (tl_call_by_code(c->events[i].e.call)->action != TL_ACTION_FINALIZE) /* it has no line */
            count_like(f, &recorded, &c->events[i].e, c->events[i].symbol, false);
    for (tl_status status = skel_start(s, rank, &walk);
         status == TL_OK && (status = fit_next_event(walk, s, rank, &e)) == TL_OK;)
        if (e.site && e.site <= f->lines.n)
            count_like(f, &recorded, &e, all[e.site - 1].symbol, true);
    skel_stop(walk);
    tl_map_free(&recorded);
}

/* Counts the calls of a rank that the capture has with all their values, in any order. */
static void count_rank(fitting *f, const skeleton *s, uint32_t capture, uint32_t rank)
{
    const fit_capture *c = &f->captures[capture];
    fit_match *m = &f->match;
    tl_map recorded = {0};
    void *walk;
    tl_event e;
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++) {
        uint64_t *n = tl_map_at(&recorded, key_of(&c->events[i].e, FIT_BUT_NOTHING));
        if (n)
            ++*n;
        else
            fit_out_of_memory(f);
        m->recorded++;
        m->recorded_bytes += fit_bytes(&c->events[i].e);
    }
    for (tl_status status = skel_start(s, rank, &walk);
         status == TL_OK && (status = fit_next_event(walk, s, rank, &e)) == TL_OK;) {
        if (tl_call_by_code(e.call)->action == TL_ACTION_INIT)
            continue;
        uint64_t *n = tl_map_find(&recorded, key_of(&e, FIT_BUT_NOTHING));
        if (f->scores)
            score(f, s, rank, &e, n && *n);
        m->exact += n && *n;
        if (n && *n)
            --*n;
        m->made++;
        m->made_bytes += fit_bytes(&e);
    }
    skel_stop(walk);
    tl_map_free(&recorded);
}

tl_status fit_read_for(fitting *f, skeleton *s, const char *text, int64_t n_ranks, size_t capture,
                       tl_error *err)
{
    static char path[] = "app.skel", ranks[] = "ranks";
    const fit_iterations *iterations = f->iterations.items;
    const size_t n_given = 1 + f->n_names + f->iterations.n;
    skel_parameter *given = calloc(n_given, sizeof *given);
    *s = (skeleton){.path = path};
    if (!given) {
        fit_out_of_memory(f);
        return tl_no_memory(err, path);
    }
    given[0] = (skel_parameter){ranks, n_ranks};
    for (size_t i = 0; i < f->n_names; i++)
        given[i + 1] = (skel_parameter){(char *)f->names[i], f->captures[capture].values[i]};
    for (size_t i = 0; i < f->iterations.n; i++)
        given[1 + f->n_names + i] =
            (skel_parameter){(char *)iterations[i].name, iterations[i].lack.trips[capture]};
    const tl_status status = skel_read(s, text, given, n_given, err);
    free(given);
    return status;
}

void fit_count_open(fitting *f, const char *text, uint32_t n_ranks, size_t capture)
{
    skeleton s;
    tl_error err;
    tl_event e;
    const bool ok = fit_read_for(f, &s, text, n_ranks, capture, &err) == TL_OK;
    for (uint32_t rank = 0; ok && rank < n_ranks && f->status == TL_OK; rank++) {
        void *walk;
        for (tl_status status = skel_start(&s, rank, &walk);
             status == TL_OK && (status = fit_next_event(walk, &s, rank, &e)) == TL_OK;)
            score(f, &s, rank, &e, false);
        skel_stop(walk);
    }
    tl_map_free(&f->ends);
    s.path = NULL;
    skel_clear(&s);
}

/* ---- which calls are not the same ---- */

/* "MPI_Send at FILE:LINE: 8 calls (10 made), 2 exact, 8 but for sizes, 3 but for peers" */
static void report_score(const fitting *f, uint32_t symbol, FILE *out)
{
    const fit_score *s = &f->scores[symbol];
    char text[300];
    fprintf(out, "%s: %" PRIu64 " calls (%" PRIu64 " made), %" PRIu64 " exact",
            fit_call_text(f, symbol, text), s->recorded, s->made, s->like[FIT_BUT_NOTHING]);
    if (s->like[FIT_BUT_SIZES] > s->like[FIT_BUT_NOTHING])
        fprintf(out, ", %" PRIu64 " but for sizes", s->like[FIT_BUT_SIZES]);
    if (s->like[FIT_BUT_PEERS] > s->like[FIT_BUT_NOTHING])
        fprintf(out, ", %" PRIu64 " but for peers", s->like[FIT_BUT_PEERS]);
    fputc('\n', out);
}

static uint64_t wrong_calls(const fit_score *s)
{
    return (s->made > s->recorded ? s->made : s->recorded) - s->like[FIT_BUT_NOTHING];
}

void fit_report_inexact(fitting *f, const char *text, size_t capture, FILE *out)
{
    enum { MOST = 10, SHARE = 100 };
    const fit_capture *c = &f->captures[capture];
    skeleton s = {0};
    tl_error err;
    f->scores = calloc(f->n_symbols + 1, sizeof *f->scores);
    if (!f->scores)
        fit_out_of_memory(f);
    else if (fit_read_for(f, &s, text, c->n_ranks, capture, &err) == TL_OK)
        for (uint32_t rank = 0; rank < c->n_ranks && f->status == TL_OK; rank++)
            count_rank_likes(f, &s, (uint32_t)capture, rank);
    for (int i = 0; f->scores && i < MOST; i++) {
        uint32_t worst = 0;
        for (uint32_t k = 1; k < f->n_symbols; k++)
            worst = wrong_calls(&f->scores[k]) > wrong_calls(&f->scores[worst]) ? k : worst;
        if (wrong_calls(&f->scores[worst]) * SHARE < c->n_events)
            break;
        fprintf(out, "# not exact without capture %zu (ranks=%" PRIu32 "): ", capture + 1,
                c->n_ranks);
        report_score(f, worst, out);
        f->scores[worst] = (fit_score){0};
    }
    free(f->scores);
    f->scores = NULL;
    s.path = NULL;
    skel_clear(&s);
}

const char *fit_verify(fitting *f, const char *text, size_t capture, char why[400])
{
    const fit_capture *c = &f->captures[capture];
    skeleton s;
    tl_error err;
    *why = '\0';
    f->made = f->captured = 0;
    fit_draw_restart(f);
    bool ok = fit_read_for(f, &s, text, c->n_ranks, capture, &err) == TL_OK;
    if (!ok)
        snprintf(why, 400, "%.390s", err.text);
    ok = ok && fit_same_comms(f, &s, (uint32_t)capture, why);
    for (uint32_t rank = 0; ok && rank < c->n_ranks; rank++)
        ok = same_rank(f, &s, (uint32_t)capture, rank, why);
    f->match = (fit_match){0};
    for (uint32_t rank = 0; (!ok || f->scores) && f->counts && s.first && rank < c->n_ranks; rank++)
        count_rank(f, &s, (uint32_t)capture, rank);
    tl_map_free(&f->ends);
    s.path = NULL;
    skel_clear(&s);
    if (!ok && !*why)
        snprintf(why, 400, "out of memory");
    return why;
}
