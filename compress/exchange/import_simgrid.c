/* import_simgrid.c - makes traces from SimGrid's time-independent text, as the replay of SMPI 3.32
 * interprets it: "RANK ACTION NUMBER...".
 *
 * Two actions of this replay are refused because a trace cannot express them: comm_split and
 * comm_dup (the replay ignores them, so all later actions on these communicators are wrong). */
#include "config.h"

#include "import.h"

#include "core/error.h"
#include "core/format.h"
#include "text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

enum { DEFAULT_IS_BYTE = 1, DEFAULT_IS_DOUBLE = 8 };
/* SMPI's constants, and what 'smpirun -trace-ti' writes for a message from any rank. */
enum { ANY_SOURCE = -555, ANY_SOURCE_TRACED = -333, ANY_TAG = -444 };

typedef struct pending {
    int32_t source, destination, tag;
    uint32_t request;
    size_t last_test; /* its number, from 1; 0: there was none */
} pending;

typedef struct importer {
    FILE *in;
    const char *name;
    tl_error *err;
    tl_writer *w;
    uint32_t rank, n_ranks;
    bool is_shared; /* the file has actions of other ranks, too */
    bool without_compute;
    uint64_t line_number;
    char *line;
    size_t line_capacity;
    char *rest;     /* what is left of the line */
    double compute; /* since the last event, not yet put */
    int64_t default_type_bytes;
    uint32_t next_site;
    uint32_t site; /* `location` */
    pending *requests;
    size_t n_requests, requests_capacity;
    tl_buffer list;
    bool looks;        /* at the outcomes of tests: nothing is written */
    uint8_t *outcomes; /* of the tests, in order */
    size_t n_tests, tests_capacity, next_test;
    uint32_t polls; /* tests without success since the last event */
    bool ended;
} importer;

#define wrong(m, format, ...)                                                                      \
    tl_fail((m)->err, TL_ERR_INPUT, "%s:%" PRIu64 ": " format, (m)->name, (m)->line_number,        \
            ##__VA_ARGS__)

/* ---- numbers ---- */

/* SMPI also writes sizes as 1e6. */
static bool parse_double(const char *text, double *out)
{
    char *end;
    if (!text || (*text != '-' && (*text < '0' || *text > '9')))
        return false;
    *out = strtod(text, &end);
    return !*end && isfinite(*out);
}

/* A whole number from min to max. If the line ends here, *given is false and the value is
 * `optional`. */
static tl_status take_number(importer *m, const char *what, double min, double max, int64_t *out)
{
    const char *word = tl_text_word(&m->rest);
    double value;
    if (!word)
        return wrong(m, "lacks %s; add it", what);
    if (parse_double(word, &value) && value > max && max < 1 && value < INT32_MAX)
        return wrong(m,
                     "%s '%.20s' is not in this trace of one rank; give the list of the files of "
                     "all ranks",
                     what, word);
    if (!parse_double(word, &value) || value < min || value > max ||
        value != (double)(int64_t)value)
        return wrong(m, "%s '%.20s' is no whole number from %.0f to %.0f; correct it", what, word,
                     min, max);
    *out = (int64_t)value;
    return TL_OK;
}

static tl_status take_rank(importer *m, const char *what, int32_t *out)
{
    int64_t rank = 0;
    tl_status status = take_number(m, what, 0, m->n_ranks - 1, &rank);
    *out = (int32_t)rank;
    return status;
}

/* Whether the next word is the number; then it is taken. */
static bool takes_number(importer *m, long number)
{
    char *end;
    const bool is_next =
        strtol(m->rest, &end, 10) == number && end != m->rest && strchr(" \t", *end);
    if (is_next)
        tl_text_word(&m->rest);
    return is_next;
}

static tl_status take_source(importer *m, const char *what, int32_t *out)
{
    if (!takes_number(m, ANY_SOURCE) && !takes_number(m, ANY_SOURCE_TRACED))
        return take_rank(m, what, out);
    *out = TL_ANY_SOURCE;
    return TL_OK;
}

static tl_status take_tag(importer *m, bool is_recv, int32_t *out)
{
    int64_t tag = TL_ANY_TAG;
    tl_status status =
        is_recv && takes_number(m, ANY_TAG) ? TL_OK : take_number(m, "the tag", 0, INT32_MAX, &tag);
    *out = (int32_t)tag;
    return status;
}

static tl_status take_count(importer *m, const char *what, int64_t *out)
{
    return take_number(m, what, 0, 9007199254740992.0, out);
}

static tl_status take_root(importer *m, int32_t *out)
{
    *out = 0;
    return m->rest[strspn(m->rest, " \t")] ? take_rank(m, "the root", out) : TL_OK;
}

/* Bytes of SMPI's datatypes by number; the default type if the line ends here. */
static tl_status take_type(importer *m, int64_t *out)
{
    static const uint8_t bytes[] = {8, 4,  1,  2, 8,  4,  1,  8,  1,  1,  2, 4,  8,  8,  16,
                                    4, 1,  1,  2, 4,  8,  1,  2,  4,  8,  8, 16, 32, 8,  8,
                                    8, 16, 16, 8, 8,  8,  16, 16, 4,  4,  8, 16, 8,  16, 16,
                                    4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8,  8};
    *out = m->default_type_bytes;
    if (!m->rest[strspn(m->rest, " \t")])
        return TL_OK;
    int64_t number = 0;
    tl_status status = take_number(m, "the datatype", 0, sizeof bytes - 1, &number);
    *out = bytes[number];
    return status;
}

/* The work after the call. */
static tl_status take_work(importer *m, double *out)
{
    const char *word = tl_text_word(&m->rest);
    if (!parse_double(word, out) || *out < 0 || *out > 1e18)
        return wrong(m, "the amount of computation '%.20s' is no number from 0 to 1e18; correct it",
                     word ? word : "");
    return TL_OK;
}

/* ---- events ---- */

static tl_status write_event(importer *m, tl_event *e)
{
    e->volume = (uint64_t)m->compute;
    m->compute -= (double)e->volume; /* the fraction goes to the next one */
    e->site = m->site;
    e->polls = m->polls;
    m->polls = 0;
    tl_status status = m->looks ? TL_OK : tl_writer_put(m->w, e);
    return status ? tl_fail(m->err, status, "%s:%" PRIu64 ": the trace cannot be written: %s",
                            m->name, m->line_number, tl_status_text(status))
                  : TL_OK;
}

/* The smallest number that is not in use by a request. */
static uint32_t free_request(const importer *m)
{
    uint32_t id = 1;
    for (size_t i = 0; i < m->n_requests;)
        if (m->requests[i++].request == id) {
            id++;
            i = 0;
        }
    return id;
}

static pending *find_pending(importer *m, const pending *like)
{
    for (pending *p = m->requests; p < m->requests + m->n_requests; p++)
        if (p->source == like->source && p->destination == like->destination && p->tag == like->tag)
            return p;
    return NULL;
}

static void drop_pending(importer *m, pending *p)
{
    memmove(p, p + 1, (size_t)(m->requests + --m->n_requests - p) * sizeof *p);
}

static tl_status transfer(importer *m, unsigned call)
{
    tl_event e = {.call = (uint16_t)call, .comm = TL_COMM_WORLD};
    bool is_recv = call == TL_MPI_Recv || call == TL_MPI_Irecv;
    TL_TRY(is_recv ? take_source(m, "the partner", &e.peer) : take_rank(m, "the partner", &e.peer));
    TL_TRY(take_tag(m, is_recv, &e.tag));
    TL_TRY(take_count(m, "the size (-1 stands for an unknown one)", &e.count));
    TL_TRY(take_type(m, &e.type_bytes));
    if (call == TL_MPI_Send || call == TL_MPI_Recv)
        return write_event(m, &e);
    const pending new = {.source = is_recv ? e.peer : (int32_t)m->rank,
                         .destination = is_recv ? (int32_t)m->rank : e.peer,
                         .tag = e.tag,
                         .request = m->looks ? 0 : free_request(m)};
    pending *old = m->looks ? find_pending(m, &new) : NULL;
    /* A program that begins a request like one that it has tested is done with the tested one. */
    if (old && old->last_test) {
        m->outcomes[old->last_test - 1] = 1;
        drop_pending(m, old);
    }
    if (m->n_requests >= 1 << 14 && !m->looks)
        return wrong(m, "more than %d requests are under way; wait for some", 1 << 14);
    if (!tl_make_room(&m->requests, m->n_requests, &m->requests_capacity, sizeof *m->requests))
        return tl_no_memory(m->err, m->name);
    m->requests[m->n_requests++] = new;
    e.request = new.request;
    return write_event(m, &e);
}

/* Takes source, destination and tag of a request, and finds the oldest one that has them; NULL. */
static tl_status find_request(importer *m, pending **out)
{
    pending like;
    TL_TRY(take_source(m, "the source", &like.source));
    TL_TRY(take_rank(m, "the destination", &like.destination));
    TL_TRY(take_tag(m, true, &like.tag));
    *out = find_pending(m, &like);
    return TL_OK;
}

static tl_status complete(importer *m, unsigned call, pending *p)
{
    const uint32_t request = p->request;
    drop_pending(m, p);
    return write_event(m, &(tl_event){.call = (uint16_t)call, .request = request});
}

static tl_status wait_for(importer *m, unsigned call)
{
    pending *p;
    TL_TRY(find_request(m, &p));
    return p ? complete(m, call, p)
             : wrong(m, "waits for a request that was not begun; add its isend or irecv");
}

/* A test that was not the last look at its request had no success. As in SMPI's replay, a test of a
 * request that is complete is ignored. */
static tl_status test(importer *m, unsigned call)
{
    pending *p;
    TL_TRY(find_request(m, &p));
    const size_t i = m->next_test++;
    if (m->looks) {
        if (!tl_make_room(&m->outcomes, i, &m->tests_capacity, sizeof *m->outcomes))
            return tl_no_memory(m->err, m->name);
        m->outcomes[i] = 0;
        m->n_tests = i + 1;
        if (p)
            p->last_test = m->n_tests;
        return TL_OK;
    }
    if (!p)
        return TL_OK;
    if (i < m->n_tests && m->outcomes[i])
        return complete(m, call, p);
    m->polls += m->polls < UINT32_MAX;
    return TL_OK;
}

static tl_status wait_all(importer *m, unsigned call)
{
    tl_event e = {.call = (uint16_t)call};
    m->list.size = 0;
    for (size_t i = 0; i < m->n_requests; i++) {
        const int64_t request = m->requests[i].request;
        if (!tl_buffer_put(&m->list, &request, sizeof request))
            return tl_no_memory(m->err, m->name);
    }
    tl_import_list(&e, &m->list);
    m->n_requests = 0;
    return write_event(m, &e);
}

static tl_status exchange(importer *m, unsigned call)
{
    tl_event e = {.call = (uint16_t)call, .comm = TL_COMM_WORLD};
    TL_TRY(take_count(m, "the size to send", &e.count));
    TL_TRY(take_rank(m, "the destination", &e.peer));
    TL_TRY(take_count(m, "the size to receive", &e.recv_count));
    TL_TRY(take_rank(m, "the source", &e.recv_peer));
    TL_TRY(take_type(m, &e.type_bytes));
    TL_TRY(take_type(m, &e.recv_type_bytes));
    return write_event(m, &e);
}

/* The counts of all ranks; they are appended to the list. */
static tl_status take_counts(importer *m)
{
    for (uint32_t i = 0; i < m->n_ranks; i++) {
        int64_t count = 0;
        TL_TRY(take_count(m, "the count of a rank", &count));
        if (!tl_buffer_put(&m->list, &count, sizeof count))
            return tl_no_memory(m->err, m->name);
    }
    return TL_OK;
}

/* The words of a collective, in order: c count, C counts, r receive count, w work, o root, t type,
 * u receive type, b the size of a buffer (ignored, because it follows from the counts). */
static tl_status collective(importer *m, unsigned call, const char *words)
{
    tl_event e = {.call = (uint16_t)call, .comm = TL_COMM_WORLD};
    double work = 0;
    int64_t ignored;
    m->list.size = 0;
    for (; *words; words++)
        switch (*words) {
        case 'c': TL_TRY(take_count(m, "the count", &e.count)); break;
        case 'C': TL_TRY(take_counts(m)); break;
        case 'r': TL_TRY(take_count(m, "the count to receive", &e.recv_count)); break;
        case 'w': TL_TRY(take_work(m, &work)); break;
        case 'o': TL_TRY(take_root(m, &e.peer)); break;
        case 't': TL_TRY(take_type(m, &e.type_bytes)); break;
        case 'u': TL_TRY(take_type(m, &e.recv_type_bytes)); break;
        default: TL_TRY(take_count(m, "the size of the buffer", &ignored)); break;
        }
    if (m->list.size &&
        !((call == TL_MPI_Gatherv || call == TL_MPI_Scatterv) && e.peer != (int32_t)m->rank))
        tl_import_list(&e, &m->list);
    if (call == TL_MPI_Gather && e.peer != (int32_t)m->rank)
        e.recv_count = e.recv_type_bytes = 0;
    if (call == TL_MPI_Scatter && e.peer != (int32_t)m->rank)
        e.count = e.type_bytes = 0;
    const tl_status status = write_event(m, &e);
    m->compute += work;
    return status;
}

/* ---- actions ---- */

static tl_status init(importer *m)
{
    m->default_type_bytes = tl_text_word(&m->rest) ? DEFAULT_IS_DOUBLE : DEFAULT_IS_BYTE;
    return write_event(m, &(tl_event){.call = TL_MPI_Init});
}

static tl_status finalize(importer *m)
{
    m->ended = true;
    /* At its end the replay waits for all requests that are not complete. */
    if (m->n_requests)
        TL_TRY(wait_all(m, TL_MPI_Waitall));
    return write_event(m, &(tl_event){.call = TL_MPI_Finalize});
}

static tl_status compute(importer *m)
{
    double work = 0;
    TL_TRY(take_work(m, &work));
    return m->without_compute || (m->compute += work) < 1e19
               ? TL_OK
               : wrong(m, "more than 1e19 flops between two calls; put a call between");
}

/* A time in seconds, to the nanosecond. */
static tl_status sleep_for(importer *m)
{
    const char *word = tl_text_word(&m->rest);
    double seconds = 0;
    if (!parse_double(word, &seconds) || !(seconds >= 0 && seconds <= 1e9))
        return wrong(m, "the time '%.20s' is no number of seconds from 0 to 1e9; correct it",
                     word ? word : "");
    return write_event(m,
                       &(tl_event){.call = TL_MPI_Sleep, .count = (int64_t)(seconds * 1e9 + 0.5)});
}

static tl_status location(importer *m)
{
    const char *object = tl_text_word(&m->rest);
    int64_t line = 0;
    if (!object || strlen(object) > TL_MAX_TEXT_BYTES)
        return wrong(m, "lacks the name of a file; add it");
    TL_TRY(take_number(m, "the line", 0, INT_MAX, &line));
    tl_site site = {.id = ++m->next_site, .object = object, .offset = (uint64_t)line};
    m->site = site.id;
    return tl_writer_define_site(m->w, &site) ? tl_no_memory(m->err, m->name) : TL_OK;
}

static const struct {
    const char *name, *words; /* of a collective */
    unsigned call;
    tl_status (*by_call)(importer *m, unsigned call);
    tl_status (*plain)(importer *m);
    const char *refusal;
} actions[] = {
    {.name = "init", .plain = init},
    {.name = "finalize", .plain = finalize},
    {.name = "compute", .plain = compute},
    {.name = "location", .plain = location},
    {.name = "send", .call = TL_MPI_Send, .by_call = transfer},
    {.name = "recv", .call = TL_MPI_Recv, .by_call = transfer},
    {.name = "isend", .call = TL_MPI_Isend, .by_call = transfer},
    {.name = "irecv", .call = TL_MPI_Irecv, .by_call = transfer},
    {.name = "wait", .call = TL_MPI_Wait, .by_call = wait_for},
    {.name = "waitall", .call = TL_MPI_Waitall, .by_call = wait_all},
    {.name = "sendRecv", .call = TL_MPI_Sendrecv, .by_call = exchange},
    {.name = "barrier", .call = TL_MPI_Barrier, .words = ""},
    {.name = "bcast", .call = TL_MPI_Bcast, .words = "cot"},
    {.name = "reduce", .call = TL_MPI_Reduce, .words = "cwot"},
    {.name = "allreduce", .call = TL_MPI_Allreduce, .words = "cwt"},
    {.name = "alltoall", .call = TL_MPI_Alltoall, .words = "crtu"},
    {.name = "alltoallv", .call = TL_MPI_Alltoallv, .words = "bCbCtu"},
    {.name = "gather", .call = TL_MPI_Gather, .words = "crotu"},
    {.name = "gatherv", .call = TL_MPI_Gatherv, .words = "cCotu"},
    {.name = "scatter", .call = TL_MPI_Scatter, .words = "crotu"},
    {.name = "scatterv", .call = TL_MPI_Scatterv, .words = "Crotu"},
    {.name = "allgather", .call = TL_MPI_Allgather, .words = "crtu"},
    {.name = "allgatherv", .call = TL_MPI_Allgatherv, .words = "cCtu"},
    {.name = "reducescatter", .call = TL_MPI_Reduce_scatter, .words = "Cwt"},
    {.name = "scan", .call = TL_MPI_Scan, .words = "cwt"},
    {.name = "exscan", .call = TL_MPI_Exscan, .words = "cwt"},
    {.name = "sleep", .plain = sleep_for},
    {.name = "test", .by_call = test, .call = TL_MPI_Test},
    {.name = "comm_split", .refusal = "does not say who is in the communicator"},
    {.name = "comm_dup", .refusal = "does not say which communicator"},
    {.name = "comm_size"}, /* local */
};

static tl_status read_action(importer *m, const char *name)
{
    if (m->ended)
        return wrong(m, "an action behind 'finalize'; remove it");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) != 0)
            continue;
        if (m->looks && !actions[i].by_call)
            return TL_OK;
        if (actions[i].refusal)
            return wrong(m, "'%s' %s, and a trace cannot hold it; remove it", name,
                         actions[i].refusal);
        TL_TRY(actions[i].plain     ? actions[i].plain(m)
               : actions[i].by_call ? actions[i].by_call(m, actions[i].call)
               : actions[i].words   ? collective(m, actions[i].call, actions[i].words)
                                    : TL_OK);
        if (actions[i].plain != init && actions[i].words != NULL && tl_text_word(&m->rest))
            return wrong(m, "has more words than '%s' takes; remove them", name);
        return TL_OK;
    }
    return wrong(m, "'%.40s' is no action of SMPI's replay; correct it", name);
}

static tl_status read_line(importer *m)
{
    m->rest = m->line;
    const char *word = tl_text_word(&m->rest);
    uint64_t rank;
    if (!word || *word == '#')
        return TL_OK;
    if (!tl_text_unsigned(word, UINT32_MAX, &rank))
        return wrong(m, "'%.20s' is no rank; a line is 'RANK ACTION NUMBER...'", word);
    if (rank != m->rank && m->is_shared)
        return TL_OK;
    if (rank != m->rank)
        return wrong(m,
                     "an action of rank %" PRIu64 " in the file of rank %" PRIu32
                     "; give each rank a file",
                     rank, m->rank);
    const char *name = tl_text_word(&m->rest);
    return name ? read_action(m, name) : wrong(m, "lacks an action; add it");
}

static tl_status read_lines(importer *m)
{
    ssize_t length;
    while ((length = getline(&m->line, &m->line_capacity, m->in)) >= 0) {
        m->line_number++;
        while (length && (m->line[length - 1] == '\n' || m->line[length - 1] == '\r'))
            m->line[--length] = 0;
        if (strlen(m->line) != (size_t)length)
            return wrong(m, "a zero byte; this is no text");
        TL_TRY(read_line(m));
    }
    return feof(m->in)     ? TL_OK
           : ferror(m->in) ? tl_fail_errno(m->err, "%s: cannot be read", m->name)
                           : tl_no_memory(m->err, m->name);
}

/* Which tests had success. The text does not contain it, but it follows from the later actions: a
 * program that waits for a request after a test, or tests it again, found it incomplete. The last
 * look at a request is the one that completed it. What is wrong is reported later. */
static tl_status look_at_tests(importer m, uint8_t **outcomes, size_t *n_tests)
{
    m.looks = true;
    m.err = NULL;
    const tl_status status = read_lines(&m);
    for (size_t i = 0; i < m.n_requests; i++)
        if (m.requests[i].last_test)
            m.outcomes[m.requests[i].last_test - 1] = 1;
    free(m.line);
    free(m.requests);
    tl_buffer_free(&m.list);
    rewind(m.in);
    *outcomes = m.outcomes;
    *n_tests = m.n_tests;
    return status == TL_ERR_MEMORY ? status : TL_OK;
}

tl_status tl_import_simgrid_rank(FILE *in, const char *name, uint32_t rank, uint32_t n_ranks,
                                 bool is_shared, bool without_compute, tl_writer *w, tl_error *err)
{
    importer m = {.in = in,
                  .name = name,
                  .err = err,
                  .w = w,
                  .rank = rank,
                  .n_ranks = n_ranks,
                  .is_shared = is_shared,
                  .without_compute = without_compute,
                  .default_type_bytes = DEFAULT_IS_BYTE};
    tl_status status = look_at_tests(m, &m.outcomes, &m.n_tests) ? tl_no_memory(err, name) : TL_OK;
    if (!status)
        status = read_lines(&m);
    if (!status && !m.ended)
        status = wrong(&m, "ends without 'finalize'; add it");
    free(m.line);
    free(m.requests);
    free(m.outcomes);
    tl_buffer_free(&m.list);
    return status;
}
