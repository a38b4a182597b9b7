/* frame.c - what the calls of run(), made by rows.py, are given; begins and ends the program. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <string.h>

enum { ROOM = 1024 };
static int rank, partner, in[ROOM], out[ROOM], memory[ROOM], which, flag, indices[2];
#ifdef LARGE /* rows.py large */
typedef MPI_Aint displacement;
#else
typedef int displacement;
#endif
static displacement displs[] = {0, 16}, bdispls[] = {0, 128};
static int me[1], them[1], one[] = {1};
static int dims[] = {2}, periods[] = {1}, keep[] = {1}, no, is_high;
static int graph_index[] = {1, 2}, graph_edges[] = {1, 0};
static MPI_Aint adispls[] = {0, 128}, no_aint, window_bytes = sizeof memory;
static MPI_Offset no_offset, some_bytes = 4096;
static MPI_Datatype stypes[2], rtypes[2];
static MPI_Comm comm, graph, newcomm, cart, inter;
static MPI_Group world_group, partner_group;
static MPI_Win win, newwin;
static MPI_File file, newfile;
static MPI_Message message;
static MPI_Request request, other, requests[2];
static const char *path;
static char own_path[4096], space[ROOM];
static void *base;
static double now;

#include "run.c" /* NOLINT(bugprone-suspicious-include): generated statements, no unit of its own */

static void get_ready(void)
{
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    partner = 1 - rank;
    me[0] = rank;
    them[0] = partner;
    is_high = rank;
    snprintf(own_path, sizeof own_path, "%s.%d", path, rank);
    for (int i = 0; i < 2; i++) {
        stypes[i] = MPI_INT;
        rtypes[i] = MPI_2INT;
        requests[i] = MPI_REQUEST_NULL;
    }
    MPI_Buffer_attach(space, sizeof space);
    MPI_Comm_group(comm, &world_group);
    MPI_Group_incl(world_group, 1, &partner, &partner_group);
}

/* frame all FILE | frame thread | frame abort */
int main(int argc, char **argv)
{
    int provided;
    if (argc > 1 && !strcmp(argv[1], "thread"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    else
        MPI_Init(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "abort"))
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (argc > 2) {
        path = argv[2];
        get_ready();
        run();
    }
    MPI_Finalize();
    return 0;
}
