/* network_probe.c - timeless-network-probe: an MPI program that measures the time of messages.
 *
 * 'timeless calibrate network' launches it. Rank 0 draws operations at random: what to measure,
 * between which ranks, with how many bytes (Cornebize, thesis draft, sections 8.2.1 and 8.3). The
 * other ranks sleep unless they take part, so that nothing else uses the network or the cores.
 * The measurements go to standard output as CSV, which network_read.c describes. */
#include "network_probe.h"

#include "machine.h"
#include "network_draw.h"
#include "network_kinds.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_ORDER = 1, TAG_RESULT }; /* network_kinds.c has others */
enum { STOP = -1, MAX_BURST_BYTES = 1024, MAX_ORDER_BYTES = 65536, MAX_RANKS = 4096 };
/* With --per-host: so many of 100 operations are between several pairs of ranks, whose messages are
 * at least so long that their bytes matter, or show the order of eager messages. Of the others, so
 * many are between ranks of one host. */
enum { LOCAL_SHARE = 35, MULTI_SHARE = 27, LEAST_MULTI_BYTES = 65536 };
/* Shorter exchanges are repeated and measured together. */
enum { N_EXCHANGES = 4 };
/* Operations that begin in this share of the time are the warm-up. */
#define WARM_SHARE 0.05
/* The longest transfer takes this share of the time, so that there is time for ten thousand. */
#define LONGEST_SHARE 0.001
/* A late receive comes this many transfer times after the send, and TLP_LATE_S. */
#define LATE_TRANSFERS 2

/* How often each kind is drawn. */
static const int shares[] = {
#define KIND(name, share) share,
    NETWORK_KINDS
#undef KIND
};
static const char *const kind_names[] = {
#define KIND(name, share) #name,
    NETWORK_KINDS
#undef KIND
};

static struct {
    int rank, n_ranks;
    int host[MAX_RANKS];                  /* of each rank: the first rank that stands there */
    double begin_s, seconds, all_seconds; /* of this launch, and of all of the calibration */
    double least_s, per_byte_s;           /* of a transfer, roughly */
    int64_t max_bytes;
    int per_host; /* ranks on each host, if all levels of a node are measured; else 1 */
    FILE *rows;   /* kept in memory while there is something to measure */
    long n_rows;
} me;

/* The ranks that take part: up to 4, those that there are not are negative; or all pairs. */
static int find_parts(const order *o, int *ranks)
{
    const int four[] = {o->from, o->to, o->from2, o->to2};
    if (tlp_is_multi(o)) {
        tlp_ranks_beside(me.host, me.n_ranks, o->from, o->count, ranks);
        tlp_ranks_beside(me.host, me.n_ranks, o->to, o->count, ranks + o->count);
        return 2 * o->count;
    }
    memcpy(ranks, four, sizeof four);
    return 4;
}

/* The part of this rank in the operation. */
static void take_part(const order *o, double *seconds)
{
    int ranks[2 * MAX_PER_HOST];
    find_parts(o, ranks);
    tlp_take_part(o, me.rank, ranks, seconds);
}

/* ---- rank 0 leads ---- */

/* Runs an operation; returns the longest time if several ranks measure. */
static void lead(const order *o, double *seconds)
{
    int ranks[2 * MAX_PER_HOST], is_part = 0;
    double theirs[2];
    const int n = find_parts(o, ranks);
    seconds[0] = seconds[1] = 0;
    for (int i = 0; i < n; i++) {
        is_part |= ranks[i] == 0;
        if (ranks[i] > 0)
            MPI_Send(o, sizeof *o, MPI_BYTE, ranks[i], TAG_ORDER, MPI_COMM_WORLD);
    }
    if (is_part)
        take_part(o, seconds);
    for (int i = 0; i < n; i++) {
        if (ranks[i] <= 0)
            continue;
        MPI_Recv(theirs, 2, MPI_DOUBLE, ranks[i], TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < 2; k++)
            seconds[k] = fmax(seconds[k], theirs[k]);
    }
}

/* The other ranks sleep until they take part, because a rank that polls uses a core. */
static void follow(void)
{
    for (;;) {
        order o;
        double seconds[2];
        int there = 0;
        for (int polls = 0; !there; polls++) {
            MPI_Iprobe(0, TAG_ORDER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            if (!there && polls > 20)
                usleep(100);
        }
        MPI_Recv(&o, sizeof o, MPI_BYTE, 0, TAG_ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (o.kind == STOP)
            return;
        take_part(&o, seconds);
        MPI_Send(seconds, 2, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

static int differ(const order *o)
{
    return me.host[o->from] != me.host[o->to];
}

/* Draws two ranks, on two hosts or on one; 0 if there are none. */
static int choose_ranks(order *o, int same_host)
{
    for (int tries = 0; tries < 64; tries++) {
        o->from = (int32_t)(tlp_draw() % (unsigned)me.n_ranks);
        o->to = (int32_t)(tlp_draw() % (unsigned)me.n_ranks);
        if (o->from != o->to && differ(o) != same_host)
            return 1;
    }
    return 0;
}

/* Draws a second pair of ranks, on the same two hosts or on two others; 0 if there is none. */
static int choose_second(order *o)
{
    const int host = me.host[o->from], to_host = me.host[o->to];
    for (int tries = 0; tries < 64; tries++) {
        o->from2 = (int32_t)(tlp_draw() % (unsigned)me.n_ranks);
        o->to2 = (int32_t)(tlp_draw() % (unsigned)me.n_ranks);
        const int host2 = me.host[o->from2], to_host2 = me.host[o->to2];
        if (host2 == host && to_host2 == to_host && o->from2 != o->from && o->to2 != o->to)
            return 1;
        if (host2 != host && host2 != to_host && to_host2 != host && to_host2 != to_host &&
            host2 != to_host2)
            return 1;
    }
    return 0;
}

/* Draws several pairs of ranks that send at the same time; or two eager messages in a row, or of
 * two pairs, of a size that shows their order, since fewer of the other operations are between
 * hosts. */
static order choose_multi(void)
{
    order o = {.from2 = -1, .to2 = -1};
    const unsigned what = tlp_draw() % 11;
    o.kind = what < 2   ? KIND_order
             : what < 6 ? KIND_multi
             : what < 8 ? KIND_multi_both
                        : KIND_beside;
    const bool is_order = o.kind == KIND_order || o.kind == KIND_beside;
    const double most = is_order ? MAX_ORDER_BYTES : (double)me.max_bytes;
    const double least = o.kind == KIND_order ? most / 8
                         : is_order           ? most / 64
                                              : fmin(LEAST_MULTI_BYTES, fmax(1, most / 16));
    const int most_at_once = is_order ? 2 : me.per_host;
    o.count = 1 + (int)(tlp_draw() % (unsigned)most_at_once);
    o.bytes = (int64_t)(least * pow(most / least, tlp_draw_uniform()));
    choose_ranks(&o, 0);
    return o;
}

/* Only sizes that take time show an order, and only eager messages have one. */
static int64_t draw_order_bytes(void)
{
    const double most = fmin(MAX_ORDER_BYTES, (double)me.max_bytes), least = fmax(1, most / 64);
    return (int64_t)(least * pow(most / least, tlp_draw_uniform()));
}

/* Draws an operation; a tenth of them are between ranks of one host. */
static order choose_order(int n_hosts)
{
    const double local_share = me.per_host > 1 ? LOCAL_SHARE / 100.0 : 0.1;
    if (me.per_host > 1 && tlp_draw() % 100 < MULTI_SHARE)
        return choose_multi();
    for (;;) {
        order o = {.from2 = -1, .to2 = -1, .count = 1};
        int at = (int)(tlp_draw() % 100), local = n_hosts == 1 || tlp_draw_uniform() < local_share;
        for (o.kind = 0; at >= shares[o.kind]; o.kind++)
            at -= shares[o.kind];
        o.bytes = tlp_draw_bytes(me.max_bytes);
        if (!choose_ranks(&o, local) && !choose_ranks(&o, !local))
            continue;
        if (o.kind == KIND_pairs && (local || !choose_second(&o)))
            continue;
        if (o.kind == KIND_burst) {
            o.bytes = o.bytes < MAX_BURST_BYTES ? o.bytes : 1 + o.bytes % MAX_BURST_BYTES;
            o.count = tlp_draw() % 2 ? N_BURST : 1;
        }
        if (o.kind == KIND_order) {
            o.bytes = draw_order_bytes();
            o.count = 1 + (int)(tlp_draw() % 2);
        }
        if (o.kind == KIND_both && o.bytes < MAX_SHORT_BYTES)
            o.count = N_EXCHANGES;
        if (o.kind >= KIND_iprobe && o.kind <= KIND_wtime)
            o.bytes = 0;
        o.delay_s = TLP_LATE_S + LATE_TRANSFERS * (me.least_s + me.per_byte_s * (double)o.bytes);
        return o;
    }
}

static void print_row(const order *o, int kind, int warm, double seconds)
{
    fprintf(me.rows, "%ld,%d,%s,%d,%d,%d,%d,%lld,%d,%.9e,%.9e\n", me.n_rows++, warm,
            kind_names[kind], o->from, o->to, !differ(o),
            o->from2 >= 0 ? me.host[o->from2] != me.host[o->from] : 0, (long long)o->bytes,
            o->count, o->delay_s, seconds);
}

/* The largest size: doubled until a transfer takes its share of the time. */
static void find_largest(int n_hosts, int64_t max_bytes)
{
    order o = {.kind = KIND_pingpong, .from2 = -1, .to2 = -1, .count = 1, .bytes = 1};
    double seconds[2];
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 16;
    me.least_s = 1;
    if (!choose_ranks(&o, n_hosts == 1))
        return;
    for (; o.bytes <= max_bytes && o.bytes <= memory / me.n_ranks; o.bytes *= 2) {
        double half_s = 1;
        for (int i = 0; i < 3; i++) { /* the best of three: the first one connects */
            lead(&o, seconds);
            half_s = fmin(half_s, seconds[0] / 2);
        }
        me.least_s = fmin(me.least_s, half_s);
        me.per_byte_s = half_s / (double)o.bytes;
        me.max_bytes = o.bytes;
        if (half_s > LONGEST_SHARE * me.all_seconds)
            return;
    }
    me.max_bytes = max_bytes < me.max_bytes * 2 ? max_bytes : me.max_bytes;
}

/* The moment is the present one: the measurement begins. */
static void print_head(int n_hosts, const int *cores, const char *machines, uint64_t seed)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    char moment[TLP_MOMENT_BYTES];
    int length;
    tlp_moment(moment);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    printf("# timeless-network-probe 1\n# mpi %s\n# moment %s\n# seed %llu\n# seconds %g\n"
           "# max_bytes %lld\n# hosts %d\n",
           library, moment, (unsigned long long)seed, me.seconds, (long long)me.max_bytes, n_hosts);
    if (me.per_host > 1)
        printf("# per_host %d\n", me.per_host);
    for (int i = 0; i < me.n_ranks; i++)
        printf("# rank %d host %d cores %d\n", i, me.host[i], cores[i]);
    fputs(machines, stdout);
    puts("n,warm,kind,from,to,same_host,apart,bytes,count,delay_s,seconds");
}

static void run(int n_hosts, const int *cores, const char *machines, uint64_t seed,
                int64_t max_bytes)
{
    tlp_draw_begin(seed);
    char *rows = NULL;
    size_t size = 0;
    if (!(me.rows = open_memstream(&rows, &size)))
        MPI_Abort(MPI_COMM_WORLD, 4);
    me.begin_s = MPI_Wtime();
    find_largest(n_hosts, max_bytes);
    print_head(n_hosts, cores, machines, seed);
    double warm_end_s = MPI_Wtime() + WARM_SHARE * me.seconds;
    for (double now; (now = MPI_Wtime()) < me.begin_s + me.seconds;) {
        double seconds[2];
        order o = choose_order(n_hosts);
        lead(&o, seconds);
        print_row(&o, o.kind, now < warm_end_s, seconds[0]);
        if (o.kind == KIND_isend)
            print_row(&o, KIND_wait, now < warm_end_s, seconds[1]);
        if (o.kind == KIND_beside)
            print_row(&o, KIND_beside_last, now < warm_end_s, seconds[1]);
    }
    if (fclose(me.rows) == 0 && rows)
        fputs(rows, stdout);
    free(rows);
    printf("# end %ld\n", me.n_rows);
    fflush(stdout);
    order stop = {.kind = STOP};
    for (int rank = 1; rank < me.n_ranks; rank++)
        MPI_Send(&stop, sizeof stop, MPI_BYTE, rank, TAG_ORDER, MPI_COMM_WORLD);
}

/* What is wrong with the arguments or the ranks; NULL if nothing. */
static const char *find_error(int argc, int n_hosts, char *text, size_t size)
{
    if (argc < 4 || argc > 6)
        return "usage: SECONDS[/OF_ALL_LAUNCHES] SEED MAX_BYTES [SIZE,SIZE...] [RANKS_PER_HOST]";
    if (me.n_ranks < 2 || me.n_ranks > MAX_RANKS)
        return "needs 2 ranks or more, 4096 at most";
    if (me.per_host < 1 || me.per_host > MAX_PER_HOST)
        return "measures 64 ranks on a host at most";
    return me.per_host == 1
               ? NULL
               : tlp_check_hosts(me.host, me.n_ranks, n_hosts, me.per_host, text, size);
}

/* "18/90": the seconds of this launch, and of all. */
static void take_seconds(const char *text)
{
    char *end;
    me.seconds = me.all_seconds = strtod(text, &end);
    if (*end == '/')
        me.all_seconds = fmax(me.seconds, strtod(end + 1, NULL));
}

/* Arguments: seconds, seed, largest message in bytes, and perhaps sizes of messages, and the ranks
 * on each host. */
int main(int argc, char **argv)
{
    static int cores[MAX_RANKS];
    int n_hosts = 0;
    char text[256];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &me.n_ranks);
    me.per_host = argc == 6 ? (int)strtol(argv[5], NULL, 10) : 1;
    if (me.n_ranks <= MAX_RANKS)
        n_hosts = tlp_find_hosts(me.host, cores);
    const char *error = find_error(argc, n_hosts, text, sizeof text);
    if (error) {
        if (!me.rank)
            printf("# error %s\n", error);
        fflush(stdout);
        MPI_Finalize();
        return 2;
    }
    take_seconds(argv[1]);
    if (argc >= 5)
        tlp_draw_take_sizes(argv[4]);
    char *machines = tlp_describe_hosts(me.host);
    if (me.rank == 0)
        run(n_hosts, cores, machines, strtoull(argv[2], NULL, 10), strtoll(argv[3], NULL, 10));
    else
        follow();
    free(machines);
    tlp_free_buffers();
    MPI_Finalize();
    return 0;
}
