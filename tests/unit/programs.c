/* programs.c - what a program makes is valid: engines read it without a survey. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <timeless.h>

#include "same_event.h"

/* All broadcasts, swaps, factorisations, depths and forms; grids of one row, of one column, with
 * rows beyond a power of two; a last panel that is short; more panels ahead than there are. */
static const char *const programs[] = {
    "hpl:N=100,NB=16,P=1,Q=1",
    "hpl:N=200,NB=16,P=1,Q=4,BCAST=0",
    "hpl:N=203,NB=16,P=4,Q=1,BCAST=1,SWAP=0",
    "hpl:N=300,NB=24,P=2,Q=3,BCAST=2,SWAP=1,EQUIL=1,PFACT=0,RFACT=0",
    "hpl:N=301,NB=24,P=3,Q=2,BCAST=3,SWAP=1,EQUIL=0,PFACT=1,RFACT=1,L1=1",
    "hpl:N=257,NB=16,P=5,Q=3,BCAST=4,SWAP=0,PFACT=2,RFACT=2,U=1",
    "hpl:N=257,NB=16,P=3,Q=5,BCAST=5,SWAP=2,THRESHOLD=20,DEPTH=2,L1=1,U=1",
    "hpl:N=400,NB=16,P=7,Q=3,BCAST=3,SWAP=1,DEPTH=3,NBMIN=1,NDIV=3,PMAP=1",
    "hpl:N=400,NB=16,P=6,Q=7,BCAST=5,SWAP=1,DEPTH=0,RECEIVE=1",
    "hpl:N=400,NB=8,P=4,Q=4,BCAST=2,SWAP=0,DEPTH=1,RECEIVE=0.5,MOVES=0",
    "hpl:N=30,NB=16,P=2,Q=2,DEPTH=4",
    "hpl:N=5,NB=16,P=4,Q=4,DEPTH=1",
    "hpl:N=257,NB=16,P=3,Q=5,BCAST=5,DEPTH=2,FROM=3,PAST=9",
    "hpl:N=301,NB=24,P=3,Q=2,BCAST=3,DEPTH=0,FROM=5",
    "hpl:N=300,NB=24,P=4,Q=1,PAST=4",
};
enum { N_PROGRAMS = sizeof programs / sizeof *programs };

/* ---- a run of all ranks, in which every send waits for its receive ---- */

typedef struct message {
    struct message *next, *before;
    uint32_t from, to;
    int32_t tag;
    int64_t bytes;
    int is_send, is_met;
} message;

typedef struct rank {
    tl_cursor *cursor;
    message *request; /* under way */
    message *blocked; /* what the rank waits for */
    int has_ended, in_barrier;
    uint64_t n_events;
} rank;

typedef struct run {
    tl_reader *reader;
    uint32_t n_ranks, n_in_barrier;
    rank *ranks;
    message *open; /* sends and receives without their counterpart */
    message *kept; /* all of them, to be freed */
} run;

static message *post(run *s, uint32_t me, const tl_event *e, int is_send)
{
    const uint32_t peer = (uint32_t)e->peer;
    message *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_true(peer < s->n_ranks && peer != me);
    *m = (message){.from = is_send ? me : peer,
                   .to = is_send ? peer : me,
                   .tag = e->tag,
                   .bytes = e->count * e->type_bytes,
                   .is_send = is_send,
                   .before = s->kept};
    s->kept = m;
    message **at = &s->open;
    for (; *at; at = &(*at)->next) {
        message *other = *at;
        if (other->from != m->from || other->to != m->to || other->tag != m->tag ||
            other->is_send == m->is_send)
            continue;
        assert_int_equal(other->bytes, m->bytes);
        *at = other->next;
        other->is_met = m->is_met = 1;
        return m;
    }
    *at = m; /* behind those before: messages do not overtake */
    return m;
}

static void check_kernel(const run *s, uint32_t me, const tl_event *e)
{
    assert_true(e->list_len >= 1 && e->list_len <= 3);
    for (uint32_t i = 0; i < e->list_len; i++)
        assert_true(e->list[i] > 0);
    if (e->call == TL_KERNEL_user)
        assert_non_null(tl_reader_kernel_name(s->reader, me, e));
}

static void play(run *s, uint32_t me, const tl_event *e)
{
    rank *r = &s->ranks[me];
    const tl_call_info *info = tl_call_by_code(e->call);
    assert_non_null(info);
    assert_int_equal(e->volume, 0);
    switch (e->call) {
    case TL_MPI_Send:
    case TL_MPI_Ssend: r->blocked = post(s, me, e, 1); return;
    case TL_MPI_Recv: r->blocked = post(s, me, e, 0); return;
    case TL_MPI_Irecv:
    case TL_MPI_Issend:
        assert_null(r->request);
        assert_int_equal(e->request, 1);
        r->request = post(s, me, e, e->call == TL_MPI_Issend);
        return;
    case TL_MPI_Wait:
        assert_non_null(r->request);
        assert_int_equal(e->request, 1);
        r->blocked = r->request;
        r->request = NULL;
        return;
    case TL_MPI_Barrier:
        r->in_barrier = 1;
        s->n_in_barrier++;
        return;
    case TL_MPI_Finalize: assert_null(r->request); return;
    case TL_MPI_Pcontrol: return;
    case TL_MPI_Init: assert_int_equal(r->n_events, 1); return;
    default: assert_int_equal(info->action, TL_ACTION_KERNEL); check_kernel(s, me, e);
    }
}

/* As far as it goes; returns whether it went on. */
static int advance(run *s, uint32_t me)
{
    rank *r = &s->ranks[me];
    int moved = 0;
    tl_event e;
    while (!r->has_ended) {
        if (r->in_barrier && s->n_in_barrier < s->n_ranks)
            return moved;
        r->in_barrier = 0;
        if (r->blocked && !r->blocked->is_met)
            return moved;
        r->blocked = NULL;
        const tl_status status = tl_cursor_next(r->cursor, &e);
        moved = 1;
        if (status == TL_END) {
            r->has_ended = 1;
            return moved;
        }
        assert_int_equal(status, TL_OK);
        r->n_events++;
        play(s, me, &e);
    }
    return moved;
}

static void test_valid(void **state)
{
    const char *text = *state;
    run *s = calloc(1, sizeof *s);
    tl_error err;
    assert_non_null(s);
    assert_int_equal(tl_reader_open(text, &s->reader, &err), TL_OK);
    s->n_ranks = tl_reader_run(s->reader)->n_ranks;
    s->ranks = calloc(s->n_ranks, sizeof *s->ranks);
    for (uint32_t r = 0; r < s->n_ranks; r++)
        assert_int_equal(tl_cursor_open(s->reader, r, &s->ranks[r].cursor, &err), TL_OK);
    for (int moved = 1; moved;) {
        moved = 0;
        for (uint32_t r = 0; r < s->n_ranks; r++)
            moved |= advance(s, r);
    }
    for (uint32_t r = 0; r < s->n_ranks; r++) {
        assert_true(s->ranks[r].has_ended); /* nobody waits forever */
        tl_cursor_close(s->ranks[r].cursor);
    }
    assert_null(s->open); /* nothing is left over */
    for (message *m = s->kept, *before; m; m = before) {
        before = m->before;
        free(m);
    }
    tl_reader_close(s->reader);
    free(s->ranks);
    free(s);
}

/* ---- cursors ---- */

/* A file that it is written to has the same events, and a cursor finds each again. */
static void test_written(void **state)
{
    char path[] = "/tmp/timeless-programs-XXXXXX";
    tl_reader *made, *written;
    tl_error err;
    tl_event a, b;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    (void)state;
    assert_int_equal(tl_reader_open("hpl:N=300,NB=24,P=2,Q=3", &made, &err), TL_OK);
    assert_int_equal(tl_program_write(made, path, &err), TL_OK);
    assert_int_equal(tl_reader_open(path, &written, &err), TL_OK);
    assert_true(tl_reader_complete(written));
    for (uint32_t r = 0; r < 6; r++) {
        tl_cursor *x, *y, *z;
        tl_status status;
        assert_int_equal(tl_cursor_open(made, r, &x, &err), TL_OK);
        assert_int_equal(tl_cursor_open(made, r, &z, &err), TL_OK);
        assert_int_equal(tl_cursor_open(written, r, &y, &err), TL_OK);
        do {
            status = tl_cursor_next(x, &a);
            assert_int_equal(tl_cursor_next(y, &b), status);
            assert_true(status != TL_OK || test_same_event(&a, &b));
        } while (status == TL_OK);
        assert_int_equal(status, TL_END);
        for (uint64_t at = tl_cursor_position(x) - 1; at > 0; at /= 2) {
            assert_int_equal(tl_cursor_seek(z, at), TL_OK);
            assert_int_equal(tl_cursor_seek(y, at), TL_OK);
            assert_int_equal(tl_cursor_next(z, &a), TL_OK);
            assert_int_equal(tl_cursor_next(y, &b), TL_OK);
            assert_true(test_same_event(&a, &b));
        }
        assert_int_equal(tl_cursor_seek(z, UINT64_MAX), TL_END);
        assert_int_equal(tl_cursor_position(z), 2);
        tl_cursor_close(x);
        tl_cursor_close(y);
        tl_cursor_close(z);
    }
    tl_reader_close(made);
    tl_reader_close(written);
    unlink(path);
}

/* ---- panels come when the one who replays says so ---- */

static int answer(void *arg, const tl_event *probe)
{
    int *left = arg;
    assert_int_equal(probe->call, TL_MPI_Iprobe);
    return !(*left)--;
}

/* The messages in their order, and what dgemm does. */
static uint64_t read_with(tl_reader *reader, int patience, double *work)
{
    tl_cursor *cursor;
    tl_event e;
    tl_error err;
    uint64_t n = 0, n_dgemm = 0;
    int left = patience;
    assert_int_equal(tl_cursor_open(reader, 1, &cursor, &err), TL_OK);
    if (patience >= 0)
        tl_cursor_set_asker(cursor, answer, &left);
    *work = 0;
    while (tl_cursor_next(cursor, &e) == TL_OK) {
        if (e.call == TL_KERNEL_dgemm)
            *work += tl_kernel_work(e.call, e.list, e.list_len);
        n_dgemm += e.call == TL_KERNEL_dgemm;
        n += tl_call_by_code(e.call)->action != TL_ACTION_KERNEL;
        if (e.call == TL_MPI_Recv && e.tag >= 2001 && e.tag <= 3000)
            left = patience;
    }
    tl_cursor_close(cursor);
    return n << 32 | n_dgemm;
}

static void test_asked(void **state)
{
    tl_reader *reader;
    tl_error err;
    double work[3];
    (void)state;
    assert_int_equal(tl_reader_open("hpl:N=2000,NB=16,P=1,Q=3,BCAST=0", &reader, &err), TL_OK);
    const uint64_t at_once = read_with(reader, -1, &work[0]);
    const uint64_t again = read_with(reader, 0, &work[1]), late = read_with(reader, 3, &work[2]);
    assert_int_equal(at_once, again);
    assert_int_equal(at_once >> 32, late >> 32);
    assert_true((uint32_t)late > (uint32_t)at_once); /* in pieces */
    assert_true(work[0] == work[1] && work[1] == work[2]);
    tl_reader_close(reader);
}

/* Does not know at first: the probe comes as an event, once, and then the answer is that of `left`
 * questions. */
typedef struct hesitation {
    int left, has_seen;
    uint64_t n_probes;
} hesitation;

static int answer_later(void *arg, const tl_event *probe)
{
    hesitation *h = arg;
    assert_int_equal(probe->call, TL_MPI_Iprobe);
    if (!h->has_seen)
        return -1;
    h->has_seen = 0;
    return !h->left--;
}

/* Asked a second time, the program goes on as one that got its answer at once. */
static void test_asked_again(void **state)
{
    enum { PATIENCE = 3 };
    tl_reader *reader;
    tl_cursor *cursors[2];
    tl_error err;
    tl_event e[2];
    int left = PATIENCE;
    hesitation h = {.left = PATIENCE};
    (void)state;
    assert_int_equal(tl_reader_open("hpl:N=2000,NB=16,P=1,Q=3,BCAST=0", &reader, &err), TL_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(tl_cursor_open(reader, 1, &cursors[k], &err), TL_OK);
    tl_cursor_set_asker(cursors[0], answer, &left);
    tl_cursor_set_asker(cursors[1], answer_later, &h);
    while (tl_cursor_next(cursors[0], &e[0]) == TL_OK) {
        assert_int_equal(tl_cursor_next(cursors[1], &e[1]), TL_OK);
        while (e[1].call == TL_MPI_Iprobe) {
            assert_int_equal(h.has_seen, 0);
            h.has_seen = 1;
            h.n_probes++;
            assert_int_equal(tl_cursor_next(cursors[1], &e[1]), TL_OK);
        }
        assert_true(e[0].call == e[1].call && e[0].peer == e[1].peer && e[0].tag == e[1].tag &&
                    e[0].count == e[1].count && e[0].list_len == e[1].list_len);
        if (e[0].call == TL_MPI_Recv && e[0].tag >= 2001 && e[0].tag <= 3000)
            left = h.left = PATIENCE;
    }
    assert_int_equal(tl_cursor_next(cursors[1], &e[1]), TL_END);
    assert_true(h.n_probes > 100);
    for (int k = 0; k < 2; k++)
        tl_cursor_close(cursors[k]);
    tl_reader_close(reader);
}

/* ---- events as they are made ---- */

/* Taken in short and expanded, events are those that a cursor returns one by one. */
static void test_taken(void **state)
{
    static const char *const texts[] = {"hpl:N=500,NB=32,P=3,Q=2,BCAST=1,SWAP=0",
                                        "hpl:N=500,NB=32,P=4,Q=2,BCAST=5,SWAP=1,DEPTH=1"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tl_reader *reader;
        tl_cursor *one_by_one, *taken;
        tl_error err;
        tl_event e[2];
        const tl_short_event *events;
        size_t n;
        assert_int_equal(tl_reader_open(texts[i], &reader, &err), TL_OK);
        assert_int_equal(tl_cursor_open(reader, 1, &one_by_one, &err), TL_OK);
        assert_int_equal(tl_cursor_open(reader, 1, &taken, &err), TL_OK);
        while (tl_cursor_take(taken, &events, &n) == TL_OK) {
            assert_true(n > 0);
            for (size_t k = 0; k < n; k++) {
                tl_cursor_expand(taken, &events[k], &e[1]);
                assert_int_equal(tl_cursor_next(one_by_one, &e[0]), TL_OK);
                assert_memory_equal(&e[0], &e[1], offsetof(tl_event, list_len));
                assert_int_equal(e[0].list_len, e[1].list_len);
                for (uint32_t s = 0; s < e[0].list_len; s++)
                    assert_int_equal(e[0].list[s], e[1].list[s]);
            }
            assert_int_equal(tl_cursor_position(one_by_one), tl_cursor_position(taken));
        }
        assert_int_equal(tl_cursor_next(one_by_one, &e[0]), TL_END);
        tl_cursor_close(one_by_one);
        tl_cursor_close(taken);
        tl_reader_close(reader);
    }
}

/* Behind a probe come the events for the answer no, as long as they are made ahead; those behind
 * the first yes are made again. */
static void test_probes_ahead(void **state)
{
    enum { PATIENCE = 6, AHEAD = 4 };
    tl_reader *reader;
    tl_cursor *one_by_one, *ahead;
    tl_error err;
    tl_event e[2];
    const tl_short_event *events;
    size_t n;
    int left[2] = {PATIENCE, PATIENCE};
    uint64_t n_dropped = 0, n_compared = 0;
    (void)state;
    assert_int_equal(tl_reader_open("hpl:N=2000,NB=16,P=1,Q=3,BCAST=0", &reader, &err), TL_OK);
    assert_int_equal(tl_cursor_open(reader, 1, &one_by_one, &err), TL_OK);
    assert_int_equal(tl_cursor_open(reader, 1, &ahead, &err), TL_OK);
    tl_cursor_set_asker(one_by_one, answer, &left[0]);
    tl_cursor_set_asker(ahead, answer, &left[1]);
    tl_cursor_look_ahead(ahead, AHEAD);
    while (tl_cursor_take(ahead, &events, &n) == TL_OK) {
        int n_probes = 0; /* the message of number left[1] is there; negative: it was before */
        for (size_t k = 0; k < n; k++) {
            if (events[k].call == TL_MPI_Iprobe) {
                n_probes++;
                continue;
            }
            if (left[1] >= 0 && n_probes > left[1]) {
                n_dropped++;
                continue;
            }
            tl_cursor_expand(ahead, &events[k], &e[1]);
            assert_int_equal(tl_cursor_next(one_by_one, &e[0]), TL_OK);
            assert_memory_equal(&e[0], &e[1], offsetof(tl_event, list_len));
            assert_int_equal(e[0].list_len, e[1].list_len);
            n_compared++;
            if (e[0].call == TL_MPI_Recv && e[0].tag >= 2001 && e[0].tag <= 3000)
                left[0] = left[1] = PATIENCE;
        }
        assert_true(n_probes <= AHEAD);
    }
    assert_int_equal(tl_cursor_next(one_by_one, &e[0]), TL_END);
    assert_in_range(n_compared, 1000, UINT64_MAX);
    assert_in_range(n_dropped, 50, UINT64_MAX);
    tl_cursor_close(one_by_one);
    tl_cursor_close(ahead);
    tl_reader_close(reader);
}

/* ---- windows: panels as a trace of their own ---- */

static tl_cursor *open_at_mark(tl_reader *reader, uint32_t number, uint64_t ordinal)
{
    tl_cursor *cursor;
    tl_event e;
    tl_error err;
    assert_int_equal(tl_cursor_open(reader, number, &cursor, &err), TL_OK);
    while (tl_cursor_next(cursor, &e) == TL_OK)
        if (e.call == TL_MPI_Pcontrol && !ordinal--)
            return cursor;
    fail_msg("rank %u has fewer marks", number);
    return cursor;
}

/* Between its first mark and its last one, a window has the events of the run. */
static void compare_window(const char *text, int64_t first, int64_t from, int64_t past)
{
    char of_window[200];
    tl_reader *whole, *window;
    tl_error err;
    assert_int_equal(tl_reader_open(text, &whole, &err), TL_OK);
    snprintf(of_window, sizeof of_window, "%s,FROM=%d,PAST=%d", text, (int)from, (int)past);
    assert_int_equal(tl_reader_open(of_window, &window, &err), TL_OK);
    for (uint32_t r = 0; r < tl_reader_run(whole)->n_ranks; r++) {
        tl_cursor *x = open_at_mark(whole, r, (uint64_t)(from - first));
        tl_cursor *y = open_at_mark(window, r, 0);
        tl_event a, b;
        int64_t left = past - from;
        while (left > 0) {
            assert_int_equal(tl_cursor_next(x, &a), TL_OK);
            assert_int_equal(tl_cursor_next(y, &b), TL_OK);
            assert_true(test_same_event(&a, &b));
            left -= a.call == TL_MPI_Pcontrol;
        }
        tl_cursor_close(x);
        tl_cursor_close(y);
    }
    tl_reader_close(whole);
    tl_reader_close(window);
}

static void test_windows(void **state)
{
    static const struct {
        const char *text;
        int64_t first, n_panels; /* the first mark's panel */
    } runs[] = {{"hpl:N=400,NB=16,P=4,Q=4,PAST=25", 1, 25},
                {"hpl:N=301,NB=24,P=3,Q=2,DEPTH=2,BCAST=3,SWAP=1,PAST=13", 2, 13},
                {"hpl:N=301,NB=24,P=3,Q=2,DEPTH=0,PAST=13", 0, 13},
                {"hpl:N=400,NB=16,P=6,Q=7,BCAST=5,SWAP=1,DEPTH=3,PMAP=1,PAST=25", 3, 25},
                {"hpl:N=300,NB=24,P=4,Q=1,PAST=13", 0, 13}};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        compare_window(runs[i].text, runs[i].first, 3, 4);
        compare_window(runs[i].text, runs[i].first, 5, 11);
        compare_window(runs[i].text, runs[i].first, 7, runs[i].n_panels);
    }
}

/* The ranks of a window can begin at different times. */
static void test_delayed(void **state)
{
    static const int64_t delays_ns[4] = {0, 10, 20, 30};
    tl_reader *reader;
    tl_error err;
    tl_event e;
    (void)state;
    assert_int_equal(tl_reader_open("hpl:N=64,NB=16,P=2,Q=2,FROM=1,PAST=3", &reader, &err), TL_OK);
    assert_true(tl_reader_delay(reader, delays_ns));
    for (uint32_t r = 0; r < 4; r++) {
        tl_cursor *cursor;
        assert_int_equal(tl_cursor_open(reader, r, &cursor, &err), TL_OK);
        assert_int_equal(tl_cursor_next(cursor, &e), TL_OK);
        assert_int_equal(tl_cursor_next(cursor, &e), TL_OK);
        assert_int_equal(e.call, r ? TL_MPI_Sleep : TL_MPI_Pcontrol);
        assert_int_equal(e.count, delays_ns[r]);
        tl_cursor_close(cursor);
    }
    tl_reader_close(reader);
}

static void test_refused(void **state)
{
    static const char *const wrong[] = {"hpl:",
                                        "hpl:N=10",
                                        "hpl:N=10,P=0,Q=1",
                                        "hpl:N=10,P=1,Q=1,X=1",
                                        "hpl:N=10,P=1,Q=1,BCAST=6",
                                        "hpl:N=10,P=1,Q=1,NB=2x",
                                        "hpl:N=64,NB=16,P=2,Q=2,FROM=2,PAST=2",
                                        "hpl:N=64,NB=16,P=2,Q=2,PAST=5",
                                        "hpl:N=64,NB=16,P=2,Q=2,DEPTH=2,FROM=1"};
    tl_reader *reader;
    tl_error err;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(tl_reader_open(wrong[i], &reader, &err), TL_ERR_USAGE);
        assert_null(reader);
    }
}

int main(void)
{
    enum { N_OTHERS = 8 };
    struct CMUnitTest tests[N_PROGRAMS + N_OTHERS] = {
        cmocka_unit_test(test_written),      cmocka_unit_test(test_asked),
        cmocka_unit_test(test_asked_again),  cmocka_unit_test(test_taken),
        cmocka_unit_test(test_probes_ahead), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_delayed),      cmocka_unit_test(test_refused)};
    for (int i = 0; i < N_PROGRAMS; i++)
        tests[N_OTHERS + i] =
            (struct CMUnitTest){programs[i], test_valid, NULL, NULL, (void *)programs[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
