/* network_kinds.c - what timeless-network-probe measures: each kind of operation, and its partner.
 */
#include "network_kinds.h"

#include "network_probe.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_TOKEN = 3, TAG_DATA, TAG_ACK, TAG_READY, TAG_GO, TAG_TIME };
enum { N_POLLS = 100 };
/* Messages that take longer than this are never sent before their receive. */
#define LONGEST_EAGER_S 0.02

static struct {
    int rank;
    char *out, *in; /* message buffers */
    int64_t room_bytes;
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

/* Send, receive, round trip. The partner of a send is posted before, or comes late. */
static void measure_transfer(const order *o, double *seconds)
{
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    if (o->kind == KIND_isend) {
        MPI_Request request = begin_send(o, o->to);
        double t1 = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seconds[0] = t1 - t0;
        seconds[1] = MPI_Wtime() - t1;
        return;
    }
    if (o->kind != KIND_recv)
        send_data(o, o->to);
    if (o->kind == KIND_recv || o->kind == KIND_pingpong)
        receive_data(o, o->to);
    seconds[0] = MPI_Wtime() - t0;
}

static void answer_send(const order *o)
{
    MPI_Request request = begin_receive(o, o->from);
    give_token(o->from, TAG_TOKEN);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The message of a receive is sent early enough to have arrived without it. The sender sleeps, not
 * the receiver, so that the caches of the receiver are as warm as usual. */
static void answer_recv(const order *o)
{
    MPI_Request request = begin_send(o, o->from);
    usleep((useconds_t)(1e6 * fmin(o->delay_s, LONGEST_EAGER_S)));
    give_token(o->from, TAG_TOKEN);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void answer_pingpong(const order *o)
{
    give_token(o->from, TAG_TOKEN);
    receive_data(o, o->from);
    send_data(o, o->from);
}

/* A send that waits for its late receive is not detached. The receiver calls the library meanwhile,
 * which takes in messages that need no receive. */
static void answer_late(const order *o)
{
    int flag;
    give_token(o->from, TAG_TOKEN);
    for (double end = MPI_Wtime() + o->delay_s; MPI_Wtime() < end;) {
        MPI_Iprobe(o->from, TAG_ACK, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (o->delay_s > 10 * TLP_LATE_S)
            usleep((useconds_t)(1e4 * o->delay_s));
    }
    receive_data(o, o->from);
}

/* Both directions at the same time. A short exchange before it lets both begin at the same time. */
static void exchange(int64_t bytes, int other)
{
    const order o = {.bytes = bytes};
    MPI_Request requests[2] = {begin_receive(&o, other), begin_send(&o, other)};
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void exchange_short(int64_t bytes, int other)
{
    exchange(bytes < MAX_SHORT_BYTES ? bytes : MAX_SHORT_BYTES, other);
}

static double exchange_all(const order *o, int other)
{
    exchange_short(o->bytes, other);
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
 * Of `order`, one message, or two in a row: the byte shows when the first one has arrived. */
static void measure_burst(const order *o, double *seconds)
{
    MPI_Request requests[N_BURST];
    take_token(o->to, TAG_TOKEN);
    double t0 = MPI_Wtime();
    for (int i = 0; i < o->count; i++)
        requests[i] = begin_send(o, o->to);
    if (o->kind == KIND_burst)
        MPI_Waitall(o->count, requests, MPI_STATUSES_IGNORE);
    take_token(o->to, TAG_ACK);
    seconds[0] = MPI_Wtime() - t0;
    if (o->kind == KIND_order)
        MPI_Waitall(o->count, requests, MPI_STATUSES_IGNORE);
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
    [KIND_send] = {measure_transfer, answer_send},
    [KIND_isend] = {measure_transfer, answer_send},
    [KIND_recv] = {measure_transfer, answer_recv},
    [KIND_late] = {measure_transfer, answer_late},
    [KIND_both] = {measure_both, answer_both},
    [KIND_pairs] = {measure_pairs, answer_pairs},
    [KIND_burst] = {measure_burst, answer_burst},
    [KIND_order] = {measure_burst, answer_burst},
    [KIND_iprobe] = {measure_poll, answer_poll},
    [KIND_test] = {measure_poll, answer_poll},
    [KIND_wtime] = {measure_poll, answer_poll},
    [KIND_pingpong] = {measure_transfer, answer_pingpong},
};

/* ---- several pairs of ranks on two hosts that send at the same time ----
 *
 * One pair shows whether it reaches the rate of the adapter, all pairs of a host what the adapter
 * carries, pairs that send in both directions what it carries in both directions together. Whether
 * the first of two messages arrives before the last one shows in which order the adapter sends. */

/* Pair k is ranks[k], on the first host, and ranks[count + k], on the second one. All senders are
 * on one host: these messages do not use the adapter. */
static void begin_together(const order *o, const int *ranks, int k)
{
    if (k) {
        give_token(ranks[0], TAG_READY);
        take_token(ranks[0], TAG_GO);
        return;
    }
    for (int i = 1; i < o->count; i++)
        take_token(ranks[i], TAG_READY);
    for (int i = 1; i < o->count; i++)
        give_token(ranks[i], TAG_GO);
}

/* The first sender gets the times of all: of the first and of the last message. */
static void gather(const order *o, const int *ranks, int k, double took_s, double seconds[2])
{
    if (k) {
        MPI_Send(&took_s, 1, MPI_DOUBLE, ranks[0], TAG_TIME, MPI_COMM_WORLD);
        return;
    }
    seconds[0] = seconds[1] = took_s;
    for (int i = 1; i < o->count; i++) {
        MPI_Recv(&took_s, 1, MPI_DOUBLE, ranks[i], TAG_TIME, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seconds[0] = fmin(seconds[0], took_s);
        seconds[1] = fmax(seconds[1], took_s);
    }
}

static void send_of_pair(const order *o, const int *ranks, int k, double seconds[2])
{
    const int to = ranks[o->count + k], both = o->kind == KIND_multi_both;
    take_token(to, TAG_READY);
    begin_together(o, ranks, k);
    if (both)
        exchange_short(o->bytes, to);
    const double t0 = MPI_Wtime();
    if (both) {
        exchange(o->bytes, to);
    } else {
        send_data(o, to);
        take_token(to, TAG_ACK);
    }
    const double took_s = MPI_Wtime() - t0;
    if (o->kind == KIND_beside)
        gather(o, ranks, k, took_s, seconds);
    else
        seconds[0] = took_s;
}

static void receive_of_pair(const order *o, int from)
{
    give_token(from, TAG_READY);
    if (o->kind == KIND_multi_both) {
        exchange_short(o->bytes, from);
        exchange(o->bytes, from);
        return;
    }
    receive_data(o, from);
    give_token(from, TAG_ACK);
}

bool tlp_is_multi(const order *o)
{
    return o->kind == KIND_multi || o->kind == KIND_multi_both || o->kind == KIND_beside;
}

void tlp_take_part(const order *o, int rank, const int *ranks, double *seconds)
{
    me.rank = rank;
    seconds[0] = seconds[1] = 0;
    make_room(o->bytes);
    for (int k = 0; tlp_is_multi(o) && k < o->count; k++) {
        if (ranks[k] == rank)
            send_of_pair(o, ranks, k, seconds);
        if (ranks[o->count + k] == rank)
            receive_of_pair(o, ranks[k]);
    }
    if (tlp_is_multi(o))
        return;
    if (rank == o->from || rank == o->from2)
        sides[o->kind].measure(o, seconds);
    else
        sides[o->kind].answer(o);
}

void tlp_free_buffers(void)
{
    free(me.out);
    free(me.in);
    me.out = me.in = NULL;
    me.room_bytes = 0;
}
