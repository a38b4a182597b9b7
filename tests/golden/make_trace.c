/* make_trace.c - make_trace all PATH: a trace of random events of every call, extremes included.
 * make_trace ring PATH: 100 messages around a ring of three ranks, a barrier after every 50.
 * make_trace open PATH: the same; rank 1 keeps its frame open and has no end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit/events.h"

/* A communicator, window or file of every kind. */
static bool define_comms(tl_writer *w)
{
    static const int32_t all[] = {2, 0, 1}, one[] = {1}, others[] = {0, 2};
    static const int32_t neighbours[] = {TL_PROC_NULL, 2, 2, 0};
    const tl_comm comms[] = {
        {.id = 3, .parent = 1, .call = TL_MPI_Comm_split, .n_members = 3, .members = all},
        {.id = 4,
         .parent = 3,
         .call = TL_MPI_Intercomm_create,
         .has_tag = 1,
         .tag = -7,
         .n_members = 1,
         .members = one,
         .n_remote = 2,
         .remote = others},
        {.id = 7,
         .parent = 1,
         .call = TL_MPI_Dist_graph_create,
         .n_members = 3,
         .members = all,
         .n_sources = 4,
         .sources = neighbours,
         .n_destinations = 1,
         .destinations = neighbours},
        {.id = 5,
         .parent = 1,
         .call = TL_MPI_Comm_create_group,
         .has_tag = 1,
         .tag = INT32_MAX,
         .n_members = 3,
         .members = all},
        {.id = 8, .parent = 3, .call = TL_MPI_Win_create, .n_members = 3, .members = all},
        {.id = 9,
         .parent = 3,
         .call = TL_MPI_File_open,
         .n_members = 3,
         .members = all,
         .name = "out.dat"}};
    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++)
        if (tl_writer_define_comm(w, &comms[i]))
            return false;
    const tl_user_kernel kernels[] = {{.id = 2, .name = "solve"}, {.id = 1, .name = "assemble"}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (tl_writer_define_kernel(w, &kernels[i]))
            return false;
    return true;
}

/* Two functions of one object file; the one was inlined into the other. */
static bool define_sites(tl_writer *w)
{
    const tl_object object = {.name = "a.out", .path = "/home/me/a.out", .build_id = "6c1d0f"};
    const tl_source sources[] = {{"halo::exchange<int, 2>", "halo.cpp", 66}, {"main", "", 0}};
    const tl_site sites[] = {
        {.id = 2, .object = "a.out", .offset = 4660, .n_sources = 2, .sources = sources},
        {.id = 1, .object = "a.out", .offset = UINT64_MAX, .n_sources = 1, .sources = sources + 1},
        {.id = 3, .object = "libb.so", .offset = 7, .caller = 2},
        {.id = 4, .object = "a.out", .offset = 7, .n_sources = 2, .sources = sources, .caller = 3}};
    bool ok = !tl_writer_define_object(w, &object);
    for (size_t i = 0; ok && i < sizeof sites / sizeof *sites; i++)
        ok = !tl_writer_define_site(w, &sites[i]);
    return ok;
}

static bool write_random(tl_writer *w, uint32_t rank)
{
    static int64_t list[TEST_MAX_LIST];
    test_random random = {.state = rank + 17};
    unsigned call = 0;
    tl_writer_keep_times(w);
    if (!define_comms(w) || !define_sites(w))
        return false;
    for (uint64_t i = 0; i < 4000; i++) {
        call = test_next_call(call);
        tl_event e =
            i % 3 ? test_random_event(&random, call, list) : test_regular_event(rank, i / 3, list);
        if (tl_writer_put(w, &e))
            return false;
    }
    const tl_counter counters[] = {{.id = 2, .name = "second", .value = UINT64_MAX - rank},
                                   {.id = 1, .name = "papi:PAPI_L2_TCM", .value = rank}};
    if (rank == 1 && tl_writer_clock(w, "it waited for a core"))
        return false;
    return !tl_writer_define_counter(w, &counters[0]) && !tl_writer_define_counter(w, &counters[1]);
}

enum { RING = 3 };

static bool write_ring(tl_writer *w, uint32_t rank)
{
    int32_t from = (int32_t)(rank + RING - 1) % RING, to = (int32_t)(rank + 1) % RING;
    tl_event init = {.call = TL_MPI_Init}, end = {.call = TL_MPI_Finalize, .clock_ns = 5000};
    bool ok = !tl_writer_put(w, &init);
    for (uint32_t site = 1; site <= 4; site++) {
        tl_site s = {.id = site, .object = "ring", .offset = 0x100 + site};
        ok = ok && !tl_writer_define_site(w, &s);
    }
    for (uint64_t i = 0; ok && i < 100; i++) {
        tl_event events[] = {
            {.call = TL_MPI_Irecv, .site = 1, .peer = from, .request = 1},
            {.call = TL_MPI_Send, .site = 2, .peer = to, .volume = 100 + i},
            {.call = TL_MPI_Wait, .site = 3, .request = 1},
            {.call = TL_MPI_Barrier, .site = 4, .comm = TL_COMM_WORLD, .clock_ns = 40 * i}};
        for (int k = 0; k < 2; k++) {
            events[k].count = 1;
            events[k].type_bytes = 4;
            events[k].tag = 5;
            events[k].comm = TL_COMM_WORLD;
        }
        for (int k = 0; k < (i % 50 == 49 ? 4 : 3); k++)
            ok = ok && !tl_writer_put(w, &events[k]);
    }
    return ok && !tl_writer_put(w, &end);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bool random = !strcmp(argv[1], "all"), open = !strcmp(argv[1], "open");
    tl_error err;
    tl_run run = {.n_ranks = RING, .volume_unit = "none", .program = argv[1]};
    if (tl_trace_create(argv[2], &run, &err) || (open && tl_trace_keep_open(argv[2], &err)))
        return 1;
    for (uint32_t rank = 0; rank < RING; rank++) {
        tl_writer *w;
        if (tl_writer_open(argv[2], rank, "h", &w, &err))
            return 1;
        const bool killed = open && rank == 1;
        bool ok = !killed || !tl_writer_keep_open(w, &err);
        ok = ok && (random ? write_random(w, rank) : write_ring(w, rank));
        if (killed)
            tl_writer_abandon(w);
        else
            ok = !tl_writer_close(w, TL_END_FINALIZED, 5000) && ok;
        if (!ok)
            return 1;
    }
    return 0;
}
