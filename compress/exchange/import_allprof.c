/* import_allprof.c - makes traces from those of liballprof, the tracer of LogGOPSim: a text file
 * for each rank, and in it a line for each call,
 *
 *     MPI_Send:START:BUF:COUNT:TYPE,SIZE,EXTENT:DEST:TAG:COMM,RANK,SIZE:END
 *
 * with the arguments in the order of MPI. Times are microseconds; a pointer is its address; an
 * array of counts has its elements behind its address. MPI_Init has no start, MPI_Finalize no
 * end. */
#include "config.h"

#include "core/error.h"
#include "core/room.h"
#include "import.h"
#include "timeless_files.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* The arguments of the calls, a letter each:
 *   b buffer   n N count   t T datatype   p P peer   x root   g G tag   c communicator   r request
 *   q number of requests and a their array   C counts of all ranks   : displacements   . ignored
 * Capitals of a pair are the receiving side. MPI_Wait ends with statuses, which are addresses. */
static const struct {
    const char *names, *arguments;
} layouts[] = {{" Init ", ".."},
               {" Init_thread ", "...."},
               {" Finalize ", ""},
               {" Send Bsend Ssend Rsend ", "bntpgc"},
               {" Recv ", "bntpgc."},
               {" Isend Ibsend Issend Irsend Irecv ", "bntpgcr"},
               {" Sendrecv ", "bntpgbNTPGc."},
               {" Sendrecv_replace ", "bntpgPGc."},
               {" Wait ", "r."},
               {" Waitall ", "qa."},
               {" Barrier ", "c"},
               {" Ibarrier ", "cr"},
               {" Bcast ", "bntxc"},
               {" Ibcast ", "bntxcr"},
               {" Reduce ", "bbnt.xc"},
               {" Ireduce ", "bbnt.xcr"},
               {" Allreduce Scan Exscan Reduce_scatter_block ", "bbnt.c"},
               {" Iallreduce Iscan Iexscan Ireduce_scatter_block ", "bbnt.cr"},
               {" Gather Scatter ", "bntbNTxc"},
               {" Igather Iscatter ", "bntbNTxcr"},
               {" Allgather Alltoall ", "bntbNTc"},
               {" Iallgather Ialltoall ", "bntbNTcr"},
               {" Gatherv ", "bntbC:Txc"},
               {" Scatterv ", "bC:tbNTxc"},
               {" Allgatherv ", "bntbC:Tc"},
               {" Alltoallv ", "bC:tbC:Tc"}};

/* Calls that become no event. The receive or call that follows waits for the same. */
static const char skipped[] = " Probe Iprobe Wtime Pcontrol Comm_dup Comm_dup_with_info Comm_split "
                              "Comm_split_type Comm_create Cart_create Cart_sub Comm_free ";

typedef struct rank_file {
    FILE *in;
    const char *name, *out_path;
    uint64_t line;
    uint32_t rank, n_ranks;
    const tl_dumpi_options *options;
    tl_writer *w;
    tl_error *err;
    bool begun, ended, is_mpich;
    unsigned request_bytes;           /* 0: before the first communicator */
    double first_us, last_us, volume; /* ends of MPI_Init and of the call before */
    uint64_t *requests;               /* the addresses of their variables; 0: none */
    size_t n_requests, requests_room;
    int64_t *list;
    size_t n_list, list_room;
} rank_file;

/* A line while it is read. */
typedef struct call {
    const tl_call_info *row;
    const char *arguments;
    char *at; /* the rest of the line */
    double start_us, end_us;
    bool in_place[2];         /* of the buffers: where data come from, and where they go */
    size_t n_buffers, n_sent; /* n_sent: how many of the list are of the sending side */
    int64_t n_requests, comm_rank, comm_size;
    uint64_t request;
    tl_event e;
} call;

static tl_status refuse(const rank_file *f, const char *name, const char *what)
{
    return tl_fail(f->err, TL_ERR_INPUT, "%s:%" PRIu64 ": %s%s%s", f->name, f->line,
                   tl_printable(name), *name ? ": " : "", what);
}

#define RECORD_IT "; record the program with 'timeless record'"

/* ---- a line ---- */

/* The next argument; NULL behind the last one. */
static char *next(call *c)
{
    return c->at ? strsep(&c->at, ":") : NULL;
}

/* Numbers of an argument, with commas between; false if it is anything else. */
static bool take_numbers(call *c, size_t n, int64_t *out)
{
    char *text = next(c), *end = text;
    errno = 0;
    for (size_t i = 0; i < n && text; i++, text = end + 1) {
        /* Addresses are unsigned, ranks and tags are not. */
        out[i] = *text == '-' ? strtoll(text, &end, 10) : (int64_t)strtoull(text, &end, 10);
        if (end == text || errno || *end != (i + 1 < n ? ',' : 0))
            return false;
    }
    return text != NULL;
}

static bool keep(rank_file *f, int64_t value)
{
    if (!tl_make_room(&f->list, f->n_list, &f->list_room, sizeof *f->list))
        return false;
    f->list[f->n_list++] = value;
    return true;
}

static bool take_counts(rank_file *f, call *c, bool are_kept)
{
    char *text, *end = next(c); /* the address */
    for (end = next(c); end && *end; end += *end == ',') {
        const int64_t value = strtoll(text = end, &end, 10);
        if (end == text || (*end && *end != ',') || (are_kept && !keep(f, value)))
            return false;
    }
    return end != NULL;
}

static bool take_comm(rank_file *f, call *c)
{
    int64_t comm[3];
    if (!take_numbers(c, 3, comm))
        return false;
    /* MPICH has integers as handles, which may be printed with a sign: two bits state how the
     * object is stored, and six that it is a communicator. Open MPI has addresses; in Fortran,
     * small integers. The first communicator of the file decides. */
    const uint32_t handle = (uint32_t)comm[0];
    if (!f->request_bytes)
        f->is_mpich = comm[0] >= INT32_MIN && comm[0] <= UINT32_MAX &&
                      (handle >> 24 & 0x3f) == 0x04 && handle >> 30;
    f->request_bytes = f->is_mpich || (uint64_t)comm[0] < 65536 ? 4 : 8;
    c->comm_rank = comm[1];
    c->comm_size = comm[2];
    return true;
}

static bool take_argument(rank_file *f, call *c, char letter)
{
    int64_t v[3] = {0};
    tl_event *e = &c->e;
    if (letter == 'c')
        return take_comm(f, c);
    if (letter == ':')
        return take_counts(f, c, false);
    if (letter == 'C') {
        const bool is_sent = c->arguments[1] == 'C' && !f->n_list, is_right = take_counts(f, c, 1);
        c->n_sent = is_sent ? f->n_list : c->n_sent;
        return is_right;
    }
    if (!take_numbers(c, letter == 't' || letter == 'T' ? 3 : 1, v))
        return false;
    if (strchr("nNxpPgGq", letter) && *v != (int32_t)*v)
        return false;
    switch (letter) {
    case 'b': c->in_place[c->n_buffers++ & 1] = *v == 1 || *v == -1; break;
    case 'n': e->count = *v; break;
    case 'N': e->recv_count = *v; break;
    case 't': e->type_bytes = v[1]; break;
    case 'T': e->recv_type_bytes = v[1]; break;
    case 'x':
    case 'p': e->peer = (int32_t)*v; break;
    case 'P': e->recv_peer = (int32_t)*v; break;
    case 'g': e->tag = *v < 0 ? TL_ANY_TAG : (int32_t)*v; break;
    case 'G': e->recv_tag = *v < 0 ? TL_ANY_TAG : (int32_t)*v; break;
    case 'q': c->n_requests = *v; break;
    case 'a':
    case 'r': c->request = (uint64_t)*v; break;
    default: break;
    }
    return true;
}

/* "-" leaves it as it is. */
static bool take_time(call *c, double *out_us)
{
    char *text = next(c), *end = text;
    if (!text || !strcmp(text, "-"))
        return text != NULL;
    *out_us = strtod(text, &end);
    return end != text && !*end;
}

/* ---- its meaning ---- */

/* MPI_ANY_SOURCE and MPI_PROC_NULL are -1 and -2, in MPICH -2 and -1. */
static int32_t peer_of(const rank_file *f, int32_t peer)
{
    return peer >= 0 ? peer : (peer == -1) != f->is_mpich ? TL_ANY_SOURCE : TL_PROC_NULL;
}

static tl_status set_comm(const rank_file *f, call *c)
{
    c->e.comm = c->comm_size == 1 && f->n_ranks > 1 ? TL_COMM_SELF : TL_COMM_WORLD;
    return c->comm_rank == (c->e.comm == TL_COMM_SELF ? 0 : f->rank) &&
                   (c->e.comm == TL_COMM_SELF || c->comm_size == f->n_ranks)
               ? TL_OK
           : c->comm_size > f->n_ranks
               ? refuse(f, c->row->name, "its communicator has more ranks than there are files")
               : refuse(f, c->row->name,
                        "its communicator does not have all ranks in their order, and the file "
                        "does not state which it has" RECORD_IT);
}

/* What MPI ignores is 0. With MPI_IN_PLACE, the arguments of the other side are used. */
static void set_sizes(rank_file *f, call *c)
{
    tl_event *e = &c->e;
    const bool gathers = strstr(c->row->name, "ather") && strchr(c->arguments, 'x');
    const bool scatters = strstr(c->row->name, "catter") && strchr(c->arguments, 'x');
    const bool has_own = (int64_t)f->n_list > c->comm_rank;
    if (c->in_place[0] && strchr(c->arguments, 'N'))
        e->count = e->recv_count;
    if (c->in_place[0] && c->n_sent && f->n_list == 2 * c->n_sent)
        memcpy(f->list, f->list + c->n_sent, c->n_sent * sizeof *f->list);
    if (c->in_place[0] && !c->n_sent && has_own)
        e->count = f->list[c->comm_rank];
    if (c->in_place[0] && strchr(c->arguments, 'T'))
        e->type_bytes = e->recv_type_bytes;
    if (c->in_place[1] && scatters) {
        e->recv_type_bytes = e->type_bytes;
        e->recv_count = has_own ? f->list[c->comm_rank] : e->count;
    }
    if (c->in_place[0] || (c->in_place[1] && c->n_buffers > 1))
        e->flags |= TL_IN_PLACE;
    if (e->peer == c->comm_rank || (!gathers && !scatters))
        return;
    f->n_list = 0;
    if (gathers)
        e->recv_count = e->recv_type_bytes = 0;
    else
        e->count = e->type_bytes = 0;
}

static bool are_sizes_right(const rank_file *f, const tl_event *e)
{
    for (size_t i = 0; i < f->n_list; i++)
        if (f->list[i] < 0 || f->list[i] > INT32_MAX)
            return false;
    return e->count >= 0 && e->recv_count >= 0 && e->type_bytes >= 0 && e->recv_type_bytes >= 0;
}

/* The id of the request in a variable; 0 if there is none. */
static uint32_t find_request(const rank_file *f, uint64_t address)
{
    for (size_t i = 0; i < f->n_requests; i++)
        if (f->requests[i] == address)
            return (uint32_t)i + 1;
    return 0;
}

static tl_status begin_request(rank_file *f, call *c)
{
    if (!c->request)
        return refuse(f, c->row->name, "the address of its request is 0");
    if (find_request(f, c->request))
        return refuse(f, c->row->name,
                      "its variable has a request that no call completed, and the file does not "
                      "state to which variable the program copied it" RECORD_IT);
    if (!(c->e.request = find_request(f, 0))) {
        if (!tl_make_room(&f->requests, f->n_requests, &f->requests_room, sizeof *f->requests))
            return tl_no_memory(f->err, f->name);
        c->e.request = (uint32_t)++f->n_requests;
    }
    f->requests[c->e.request - 1] = c->request;
    return TL_OK;
}

static uint32_t complete(rank_file *f, uint64_t address)
{
    const uint32_t id = address ? find_request(f, address) : 0;
    if (id)
        f->requests[id - 1] = 0;
    return id;
}

static tl_status set_requests(rank_file *f, call *c)
{
    if (c->row->traits & TL_TRAIT_NB)
        return begin_request(f, c);
    if (strchr(c->arguments, 'r'))
        c->e.request = complete(f, c->request);
    if (c->n_requests < 0 || c->n_requests > 1 << 20)
        return refuse(f, c->row->name, "its number of requests is wrong");
    for (int64_t i = 0; i < c->n_requests; i++)
        if (!keep(f, complete(f, c->request + (uint64_t)i * f->request_bytes)))
            return tl_no_memory(f->err, f->name);
    return TL_OK;
}

static void set_times(rank_file *f, call *c)
{
    const tl_action action = c->row->action;
    const bool on_entry = action == TL_ACTION_FINALIZE, is_first = action == TL_ACTION_INIT;
    if (is_first)
        f->first_us = f->last_us = c->start_us = c->end_us;
    const double clock_us = (on_entry ? c->start_us : c->end_us) - f->first_us;
    if (c->row->slots & TL_SLOT_CLOCK)
        c->e.clock_ns = clock_us > 0 ? (uint64_t)(1000 * clock_us) : 0;
    if (!on_entry && !is_first && c->end_us > c->start_us)
        c->e.took_ns = (float)(1000 * (c->end_us - c->start_us));
    c->e.volume = (uint64_t)f->volume;
    f->volume -= (double)c->e.volume; /* the fraction goes to the next one */
}

static tl_status put_call(rank_file *f, call *c)
{
    tl_status status = strchr(c->arguments, 'c') ? set_comm(f, c) : TL_OK;
    if (strchr(c->arguments, 'p'))
        c->e.peer = peer_of(f, c->e.peer);
    if (strchr(c->arguments, 'P'))
        c->e.recv_peer = peer_of(f, c->e.recv_peer);
    if (!status && !strchr(c->arguments, 'p')) /* a send's address may look as MPI_IN_PLACE */
        set_sizes(f, c);
    if (!status && !are_sizes_right(f, &c->e))
        status = refuse(f, c->row->name, "a count or size is not possible");
    if (!status)
        status = set_requests(f, c);
    if (status)
        return status;
    for (size_t i = 0; i < f->n_requests && c->row->action == TL_ACTION_FINALIZE; i++)
        if (f->requests[i])
            return refuse(f, c->row->name,
                          "a request was not completed in the variable in which it began, and the "
                          "file does not state to which the program copied it" RECORD_IT);
    set_times(f, c);
    c->e.call = c->row->code;
    c->e.list = f->list;
    c->e.list_len = (uint32_t)f->n_list;
    f->begun = true;
    f->ended = c->row->action == TL_ACTION_FINALIZE;
    status = tl_writer_put(f->w, &c->e);
    return status ? tl_fail_write(f->err, f->out_path, status) : TL_OK;
}

/* ---- a file ---- */

static bool is_word(const char *words, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, " %.60s ", name);
    return strstr(words, word) != NULL;
}

static tl_status follow(rank_file *f, char *line)
{
    call c = {.at = line};
    const char *name = next(&c),
               *bare = strncmp(name, "MPI_", 4) != 0 || strchr(name, ' ') ? "" : name + 4;
    c.row = *bare ? tl_call_by_name(name) : NULL;
    if (!*bare)
        return refuse(f, "", "is no call of MPI; give a list of the files that liballprof wrote");
    if (!take_time(&c, &c.start_us))
        return refuse(f, name, "its time is no number");
    for (size_t i = 0; c.row && i < sizeof layouts / sizeof *layouts; i++)
        if (is_word(layouts[i].names, bare))
            c.arguments = layouts[i].arguments;
    if (!c.arguments && c.row && !is_word(skipped, bare))
        return refuse(f, name, "the file does not state what a trace needs of it" RECORD_IT);
    const double gap_us = c.start_us - f->last_us;
    if (f->begun && gap_us > 0 && f->options->volume[0] == 'w')
        f->volume += 1000 * gap_us * f->options->rate;
    f->n_list = 0;
    for (const char *a = c.arguments; a && *a; a++)
        if (!take_argument(f, &c, *a))
            return refuse(f, name, "its arguments are not those of the call");
    char *last = c.at ? strrchr(c.at, ':') : NULL;
    if (c.arguments && last)
        return refuse(f, name, "has more arguments than the call");
    c.at = last ? last + 1 : c.at;
    c.end_us = c.start_us;
    if (!take_time(&c, &c.end_us))
        return refuse(f, name, "its end is no time");
    /* 9e15 us after 1970 is in 2255. */
    if (!(fabs(c.start_us) < 9e15 && c.end_us < 9e15 && c.end_us >= c.start_us && f->volume < 1e19))
        return refuse(f, name, "its time is not possible, or it ends before it begins");
    if (c.arguments && (c.row->action == TL_ACTION_INIT) == f->begun)
        return refuse(f, c.row->name, "is before MPI_Init or twice");
    tl_status status = c.arguments ? put_call(f, &c) : TL_OK;
    f->last_us = c.end_us;
    return status;
}

static tl_status read_file(rank_file *f)
{
    char *line = NULL, host[256] = "";
    size_t capacity = 0;
    tl_status status = TL_OK;
    for (f->line = 1; !status && !f->ended && getline(&line, &capacity, f->in) >= 0; f->line++) {
        line[strcspn(line, "\r\n")] = 0;
        sscanf(line, "# hostname: %255[^. ]", host);
        if (!*line || *line == '#')
            continue;
        if (!f->w && !(status = tl_writer_open(f->out_path, f->rank, host, &f->w, f->err)) &&
            f->options->call_times)
            tl_writer_keep_times(f->w);
        if (!status)
            status = follow(f, line);
    }
    if (!status && ferror(f->in))
        status = tl_fail_errno(f->err, "%s: cannot be read", f->name);
    if (!status && !f->begun)
        status = tl_fail(f->err, TL_ERR_INPUT, "%s: has no call of MPI_Init", f->name);
    free(line);
    return status;
}

typedef struct run_files {
    char **names;
    size_t n;
    tl_dumpi_options options;
} run_files;

static tl_status put_rank(void *arg, uint32_t rank, const char *out_path, tl_error *err)
{
    const run_files *all = arg;
    rank_file f = {.name = all->names[rank],
                   .rank = rank,
                   .n_ranks = (uint32_t)all->n,
                   .options = &all->options,
                   .out_path = out_path,
                   .err = err};
    tl_status status = tl_import_open(f.name, &f.in, err);
    if (status)
        return status;
    status = read_file(&f);
    const double run_us = f.last_us - f.first_us;
    if (f.w)
        status = tl_import_close(f.w, out_path, status, f.ended ? TL_END_FINALIZED : TL_END_EXITED,
                                 run_us > 0 ? (uint64_t)(1000 * run_us) : 0, err);
    fclose(f.in);
    free(f.requests);
    free(f.list);
    return status;
}

tl_status tl_import_liballprof(const char *path, const tl_dumpi_options *options,
                               const char *out_path, tl_error *err)
{
    run_files all = {.options = *options};
    char source[80];
    if (!all.options.volume)
        all.options.volume = "wall";
    const bool is_time = !strcmp(all.options.volume, "wall");
    if (!is_time && strcmp(all.options.volume, "none") != 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: liballprof has wall-clock times only; give --volume wall or none",
                       path);
    tl_status status = tl_import_read_list(path, &all.names, &all.n, err);
    snprintf(source, sizeof source,
             is_time ? "import:liballprof:clock-wall" : "import:liballprof:none");
    if (options->rate != 1)
        snprintf(source + strlen(source), sizeof source - strlen(source), ", rate %g",
                 options->rate);
    tl_run run = {.n_ranks = (uint32_t)all.n,
                  .volume_unit = "cpu-ns",
                  .volume_source = source,
                  .origin = "timeless import --from liballprof"};
    if (!status)
        status = tl_import_write(out_path, &run, put_rank, &all, err);
    tl_import_free_list(all.names, all.n);
    return status;
}
