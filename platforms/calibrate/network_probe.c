/* network_probe.c - timeless-network-probe: an MPI program that measures the time of messages.
 *
 * 'timeless calibrate network' launches it. Rank 0 draws operations at random: what to measure,
 * between which ranks, with how many bytes (Cornebize, thesis draft, sections 8.2.1 and 8.3). The
 * other ranks sleep unless they take part, so that nothing else uses the network or the cores.
 * The measurements go to standard output as CSV, which network_read.c describes. */
#include "network_probe.h"

#include "machine.h"
#include "network_draw.h"
#include "network_hosts.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_ORDER = 1, TAG_RESULT, TAG_TOKEN, TAG_DATA, TAG_ACK };
enum {
    STOP = -1,
    N_POLLS = 100,
    N_BURST = 32,
    MAX_BURST_BYTES = 1024,
    MAX_ORDER_BYTES = 65536,
    MAX_RANKS = 4096
};
/* Shorter exchanges are repeated and measured together. */
enum { MAX_SHORT_BYTES = 65536, N_EXCHANGES = 4 };
/* Operations that begin in this share of the time are the warm-up. */
#define WARM_SHARE 0.05
/* The longest transfer takes this share of the time, so that there is time for ten thousand. */
#define LONGEST_SHARE 0.001
/* A late receive comes this many transfer times after the send, and at least this time. */
#define LATE_TRANSFERS 2
#define LATE_S 2e-4
/* Messages that take longer than this are never sent before their receive. */
#define LONGEST_EAGER_S 0.02

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

/* One operation: `from` measures it with `to`; of a pair of transfers, `from2` and `to2` make the
 * second. */
typedef struct order {
    int32_t kind, from, to, from2, to2, count;
    int64_t bytes;
    double delay_s;
} order;

static struct {
    int rank, n_ranks;
    int host[MAX_RANKS]; /* of each rank: the first rank that stands there */
    char *out, *in;      /* message buffers */
    int64_t room_bytes;
    double begin_s, seconds;
    double least_s, per_byte_s; /* of a transfer, roughly */
    int64_t max_bytes;
    FILE *rows; /* kept in memory while there is something to measure */
    long n_rows;
} me;

/* Buffers are written when they grow, before they are used in a measurement. */
static void make_room(int64_t bytes)
{
    if (bytes <= me.room_bytes)
        return;
    free(me.out);
    free(me.in);
    me.out = malloc((size_t)bytes);
    me.in = malloc((size_t)bytes);
    if (!me.out || !me.in) {
        fprintf(stderr, "timeless-network-probe: out of memory; give --max-bytes\n");
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    memset(me.out, 1, (size_t)bytes);
    memset(me.in, 1, (size_t)bytes);
    me.room_bytes = bytes;
}

static void give_token(int to, int tag)
{
    char byte = 0;
    MPI_Send(&byte, 1, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void take_token(int from, int tag)
{
    char byte;
    MPI_Recv(&byte, 1, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_data(const order *o, int to)
{
    MPI_Send(me.out, (int)o->bytes, MPI_BYTE, to, TAG_DATA, MPI_COMM_WORLD);
}

static void receive_data(const order *o, int from)
{
    MPI_Recv(me.in, (int)o->bytes, MPI_BYTE, from, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Request begin_send(const order *o, int to)
{
    MPI_Request request;
    MPI_Isend(me.out, (int)o->bytes, MPI_BYTE, to, TAG_DATA, MPI_COMM_WORLD, &request);
    return request;
}

static MPI_Request begin_receive(const order *o, int from)
{
    MPI_Request request;
    MPI_Irecv(me.in, (int)o->bytes, MPI_BYTE, from, TAG_DATA, MPI_COMM_WORLD, &request);
    return request;
}

/* ---- the kinds; each has two sides, the one that measures and its partner ---- */

/* Blocking and nonblocking send; the receive is posted before. */
static void measure_send(const order *o, double *seconds)
{
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    if (o->kind == KIND_send) {
        send_data(o, o->to);
        seconds[0] = MPI_Wtime() - t0;
    } else {
        MPI_Request request = begin_send(o, o->to);
        double t1 = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seconds[0] = t1 - t0;
        seconds[1] = MPI_Wtime() - t1;
    }
}

static void answer_send(const order *o)
{
    MPI_Request request = begin_receive(o, o->from);
    give_token(o->from, TAG_TOKEN);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A receive whose message was sent early enough to have arrived without it. The sender sleeps, not
 * the receiver, so that the caches of the receiver are as warm as usual. */
static void measure_recv(const order *o, double *seconds)
{
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    receive_data(o, o->to);
    seconds[0] = MPI_Wtime() - t0;
}

static void answer_recv(const order *o)
{
    MPI_Request request = begin_send(o, o->from);
    usleep((useconds_t)(1e6 * fmin(o->delay_s, LONGEST_EAGER_S)));
    give_token(o->from, TAG_TOKEN);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure_pingpong(const order *o, double *seconds)
{
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    send_data(o, o->to);
    receive_data(o, o->to);
    seconds[0] = MPI_Wtime() - t0;
}

static void answer_pingpong(const order *o)
{
    give_token(o->from, TAG_TOKEN);
    receive_data(o, o->from);
    send_data(o, o->from);
}

/* A send whose receive comes late: a send that waits for it is not detached. The receiver calls the
 * library meanwhile, which takes in messages that need no receive. */
static void measure_late(const order *o, double *seconds)
{
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    send_data(o, o->to);
    seconds[0] = MPI_Wtime() - t0;
}

static void answer_late(const order *o)
{
    int flag;
    give_token(o->from, TAG_TOKEN);
    for (double end = MPI_Wtime() + o->delay_s; MPI_Wtime() < end;) {
        MPI_Iprobe(o->from, TAG_ACK, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (o->delay_s > 10 * LATE_S)
            usleep((useconds_t)(1e4 * o->delay_s));
    }
    receive_data(o, o->from);
}

/* Both directions at the same time. An exchange before it lets both begin at the same time. */
static void exchange(int64_t bytes, int other)
{
    const order o = {.bytes = bytes};
    MPI_Request requests[2] = {begin_receive(&o, other), begin_send(&o, other)};
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static double exchange_all(const order *o, int other)
{
    exchange(o->bytes < MAX_SHORT_BYTES ? o->bytes : MAX_SHORT_BYTES, other);
    double t0 = MPI_Wtime();
    for (int i = 0; i < o->count; i++)
        exchange(o->bytes, other);
    return (MPI_Wtime() - t0) / o->count;
}

static void measure_both(const order *o, double *seconds)
{
    take_token(o->to, TAG_TOKEN);
    seconds[0] = exchange_all(o, o->to);
}

static void answer_both(const order *o)
{
    give_token(o->from, TAG_TOKEN);
    exchange_all(o, o->from);
}

/* Two transfers in the same direction at the same time, each acknowledged by a byte. */
static void measure_pairs(const order *o, double *seconds)
{
    int second = me.rank == o->from2, to = second ? o->to2 : o->to;
    take_token(to, TAG_TOKEN);
    if (second) {
        give_token(o->from, TAG_ACK);
        take_token(o->from, TAG_ACK);
    } else {
        take_token(o->from2, TAG_ACK);
        give_token(o->from2, TAG_ACK);
    }
    double t0 = MPI_Wtime();
    send_data(o, to);
    take_token(to, TAG_ACK);
    seconds[0] = MPI_Wtime() - t0;
}

static void answer_pairs(const order *o)
{
    int from = me.rank == o->to2 ? o->from2 : o->from;
    give_token(from, TAG_TOKEN);
    receive_data(o, from);
    give_token(from, TAG_ACK);
}

/* Several short messages in a row, acknowledged by one byte: shows how soon one can follow another.
 */
static void measure_burst(const order *o, double *seconds)
{
    MPI_Request requests[N_BURST];
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    for (int i = 0; i < o->count; i++)
        requests[i] = begin_send(o, o->to);
    MPI_Waitall(o->count, requests, MPI_STATUSES_IGNORE);
    take_token(o->to, TAG_ACK);
    seconds[0] = MPI_Wtime() - t0;
}

/* Only the first message of `order` is acknowledged immediately. */
static void answer_burst(const order *o)
{
    MPI_Request requests[N_BURST];
    const int n_first = o->kind == KIND_order ? 1 : o->count;
    for (int i = 0; i < o->count; i++)
        requests[i] = begin_receive(o, o->from);
    give_token(o->from, TAG_TOKEN);
    MPI_Waitall(n_first, requests, MPI_STATUSES_IGNORE);
    give_token(o->from, TAG_ACK);
    MPI_Waitall(o->count - n_first, requests + n_first, MPI_STATUSES_IGNORE);
}

/* One message, or two in a row. The first one is acknowledged by a byte, which shows when it has
 * arrived. */
static void measure_order(const order *o, double *seconds)
{
    MPI_Request requests[2];
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    for (int i = 0; i < o->count; i++)
        requests[i] = begin_send(o, o->to);
    take_token(o->to, TAG_ACK);
    seconds[0] = MPI_Wtime() - t0;
    MPI_Waitall(o->count, requests, MPI_STATUSES_IGNORE);
}

/* Polls that find nothing, and a reading of the clock. */
static void measure_poll(const order *o, double *seconds)
{
    MPI_Request request = MPI_REQUEST_NULL;
    char byte;
    int flag = 0;
    double t0, clock_s = 0;
    if (o->kind == KIND_test)
        MPI_Irecv(&byte, 1, MPI_BYTE, o->to, TAG_ACK, MPI_COMM_WORLD, &request);
    t0 = MPI_Wtime();
    for (int i = 0; i < N_POLLS; i++) {
        if (o->kind == KIND_test)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        else if (o->kind == KIND_iprobe)
            MPI_Iprobe(o->to, TAG_ACK, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        else
            clock_s += MPI_Wtime();
    }
    seconds[0] = (MPI_Wtime() - t0) / N_POLLS;
    if (clock_s < 0) /* uses the sum, so that no call is left out */
        seconds[0] = 0;
    if (o->kind == KIND_test) {
        give_token(o->to, TAG_TOKEN);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void answer_poll(const order *o)
{
    if (o->kind != KIND_test)
        return;
    take_token(o->from, TAG_TOKEN);
    give_token(o->from, TAG_ACK);
}

static const struct {
    void (*measure)(const order *o, double *seconds);
    void (*answer)(const order *o);
} sides[] = {
    [KIND_send] = {measure_send, answer_send},
    [KIND_isend] = {measure_send, answer_send},
    [KIND_wait] = {measure_send, answer_send},
    [KIND_recv] = {measure_recv, answer_recv},
    [KIND_late] = {measure_late, answer_late},
    [KIND_both] = {measure_both, answer_both},
    [KIND_pairs] = {measure_pairs, answer_pairs},
    [KIND_burst] = {measure_burst, answer_burst},
    [KIND_order] = {measure_order, answer_burst},
    [KIND_iprobe] = {measure_poll, answer_poll},
    [KIND_test] = {measure_poll, answer_poll},
    [KIND_wtime] = {measure_poll, answer_poll},
    [KIND_pingpong] = {measure_pingpong, answer_pingpong},
};

/* The part of this rank in the operation; nothing for most ranks. */
static void take_part(const order *o, double *seconds)
{
    seconds[0] = seconds[1] = 0;
    make_room(o->bytes);
    if (me.rank == o->from || me.rank == o->from2)
        sides[o->kind].measure(o, seconds);
    else
        sides[o->kind].answer(o);
}

/* ---- rank 0 leads ---- */

static int is_part(const order *o, int rank)
{
    return rank == o->from || rank == o->to || rank == o->from2 || rank == o->to2;
}

/* Runs an operation; returns the longer time if two ranks measure. */
static void lead(const order *o, double *seconds)
{
    double theirs[2];
    const int32_t ranks[] = {o->from, o->to, o->from2, o->to2};
    seconds[0] = seconds[1] = 0;
    for (int i = 0; i < 4; i++)
        if (ranks[i] > 0)
            MPI_Send(o, sizeof *o, MPI_BYTE, ranks[i], TAG_ORDER, MPI_COMM_WORLD);
    if (is_part(o, 0))
        take_part(o, seconds);
    for (int i = 0; i < 4; i++) {
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

/* Draws an operation; a tenth of them are between ranks of one host. */
static order choose_order(int n_hosts)
{
    for (;;) {
        order o = {.from2 = -1, .to2 = -1, .count = 1};
        int at = (int)(tlp_draw() % 100), local = n_hosts == 1 || tlp_draw_uniform() < 0.1;
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
            o.bytes = o.bytes < MAX_ORDER_BYTES ? o.bytes : 1 + o.bytes % MAX_ORDER_BYTES;
            o.count = 1 + (int)(tlp_draw() % 2);
        }
        if (o.kind == KIND_both && o.bytes < MAX_SHORT_BYTES)
            o.count = N_EXCHANGES;
        if (o.kind >= KIND_iprobe)
            o.bytes = 0;
        o.delay_s = LATE_S + LATE_TRANSFERS * (me.least_s + me.per_byte_s * (double)o.bytes);
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
        if (half_s > LONGEST_SHARE * me.seconds)
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

/* Arguments: seconds, seed, largest message in bytes, and perhaps sizes of messages. */
int main(int argc, char **argv)
{
    static int cores[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &me.n_ranks);
    const int is_usage = argc != 4 && argc != 5;
    if (is_usage || me.n_ranks < 2 || me.n_ranks > MAX_RANKS) {
        if (!me.rank)
            printf("# error %s\n", is_usage ? "usage: SECONDS SEED MAX_BYTES [SIZE,SIZE...]"
                                            : "needs 2 ranks or more, 4096 at most");
        fflush(stdout);
        MPI_Finalize();
        return 2;
    }
    me.seconds = strtod(argv[1], NULL);
    if (argc == 5)
        tlp_draw_take_sizes(argv[4]);
    int n_hosts = tlp_find_hosts(me.host, cores);
    char *machines = tlp_describe_hosts(me.host);
    if (me.rank == 0)
        run(n_hosts, cores, machines, strtoull(argv[2], NULL, 10), strtoll(argv[3], NULL, 10));
    else
        follow();
    free(machines);
    free(me.out);
    free(me.in);
    MPI_Finalize();
    return 0;
}
