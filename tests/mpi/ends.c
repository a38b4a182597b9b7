/* ends.c - the ways in which a run can end, by name: finalize, exit, return, abort, kill, fork,
 * thread (one more that calls MPI), funneled (the same, without permission). */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void *barrier_on_self(void *unused)
{
    MPI_Barrier(MPI_COMM_SELF);
    return unused;
}

/* A child that is no rank: what it does must not show in the trace. */
static int child_exit_code(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        exit(5);
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize";
    int provided, code = 0;
    pthread_t thread;
    const int funneled = !strcmp(how, "funneled");
    MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "exit"))
        exit(6);
    if (!strcmp(how, "return"))
        return 7;
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 8);
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "fork"))
        code = child_exit_code();
    if (funneled || !strcmp(how, "thread")) {
        pthread_create(&thread, NULL, barrier_on_self, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}
