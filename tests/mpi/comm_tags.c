/* comm_tags.c - two threads of every rank make communicators with the same members at the same
 * time. Even ranks have the one of tag 1 first, odd ranks the one of tag 2 (comm_tags_late.c).
 *
 *     comm_tags group      by MPI_Comm_create_group, with these tags
 *     comm_tags inter      by MPI_Comm_dup of intercommunicators that were made with these tags */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "comm_tags.h"

static int of_group, rank, n_ranks;
static MPI_Comm inter[3]; /* by tag */

static void make(int tag, MPI_Comm *made)
{
    MPI_Group all;
    if (!of_group) {
        MPI_Comm_dup(inter[tag], made);
        return;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_create_group(MPI_COMM_WORLD, all, tag, made);
    MPI_Group_free(&all);
}

/* As many collectives as the tag: a replay that takes one communicator for the other one waits
 * forever. */
static void *work(void *argument)
{
    const int tag = (int)(size_t)argument;
    MPI_Comm made;
    comm_tags_own = tag;
    make(tag, &made);
    if (comm_tags_late != tag)
        __atomic_store_n(&comm_tags_recorded, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < tag; i++)
        MPI_Barrier(made);
    MPI_Comm_free(&made);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Comm half;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc != 2 || provided != MPI_THREAD_MULTIPLE || n_ranks % 2) {
        fprintf(stderr, "comm_tags: wrong usage, or MPI_THREAD_MULTIPLE is not provided\n");
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    of_group = !strcmp(argv[1], "group");
    MPI_Comm_split(MPI_COMM_WORLD, rank < n_ranks / 2, rank, &half);
    for (int tag = 1; tag <= 2; tag++)
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < n_ranks / 2 ? n_ranks / 2 : 0, tag,
                             &inter[tag]);
    comm_tags_late = rank % 2 ? 1 : 2;
    pthread_create(&thread, NULL, work, (void *)2);
    work((void *)1);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
