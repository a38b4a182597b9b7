/* hybrid_unharmed.cpp - what a program can do with OpenMP where the tracer has its hands in: tasks
 * with copy constructors, alignment, dependences, reductions and events, cancellation, nested
 * regions, MPI and fork() in regions.  Prints what has come out, which does not depend on the
 * tracer. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

static void expect(bool right)
{
    if (!right) {
#pragma omp atomic
        wrong++;
    }
}

/* Must be copied by its constructor, to an address that it can have. */
struct Value {
    std::string text = "a text that does not fit into the object itself";
    alignas(64) double numbers[8] = {};
    void check() const
    {
        expect(text.size() == 47 && (uintptr_t)numbers % 64 == 0);
    }
};

static void tasks()
{
    Value value;
    long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(value, i) shared(sum) if (i % 3)
        {
            value.check();
#pragma omp atomic
            sum += i;
        }
    }
    printf("tasks %ld\n", sum);
    sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop firstprivate(value) grainsize(3) reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
        value.check();
        sum += i;
    }
    printf("taskloop %ld\n", sum);
    unsigned long long wide = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop shared(wide) num_tasks(7)
    for (unsigned long long i = 0; i < 100; i++) {
#pragma omp atomic
        wide += i;
    }
    printf("taskloop, unsigned %llu\n", wide);
    int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x) depend(out : y)
        y = x + 1;
#pragma omp task depend(in : y) if (0)
        x = y + 1;
#pragma omp taskwait
    }
    printf("dependences %d %d\n", x, y);
    int shared_sum = 0;
#pragma omp parallel num_threads(2) reduction(task, + : shared_sum)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : shared_sum)
        shared_sum += i;
    }
    printf("task reduction %d\n", shared_sum);
    omp_event_handle_t event;
    int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event) shared(done)
        {done = 1;
    omp_fulfill_event(event);
}
#pragma omp taskwait
}
printf("detached %d\n", done);
}

static void regions()
{
    int caught = 0, ended = 0, deep = 0, chain[64] = {};
    double copied = 0;
#pragma omp parallel num_threads(3) reduction(+ : caught)
    try {
        throw std::runtime_error("in a region");
    } catch (const std::exception &) {
        caught++;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < 1000; i++) {
#pragma omp cancel for if (i == 10)
        }
#pragma omp atomic
        ended++;
    }
#pragma omp parallel num_threads(3) private(copied)
    {
#pragma omp single copyprivate(copied)
        copied = 3.5;
        expect(copied == 3.5);
    }
#pragma omp parallel for ordered(1) num_threads(2)
    for (int i = 1; i < 64; i++) {
#pragma omp ordered depend(sink : i - 1)
        chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    deep++;
    printf("caught %d cancelled %d chain %d deep %d\n", caught, ended, chain[63], deep);
    for (int n = 1; n < 5; n++) {
        int members = 0;
#pragma omp parallel num_threads(n)
#pragma omp atomic
        members++;
        expect(members == n);
    }
}

static void mpi_and_fork(int rank)
{
#pragma omp parallel num_threads(3)
    {
        int mine = omp_get_thread_num(), got = -1;
        MPI_Sendrecv(&mine, 1, MPI_INT, rank, mine, &got, 1, MPI_INT, rank, mine, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        expect(got == mine);
    }
    fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        const int code = omp_get_thread_num() + 3;
        const pid_t child = fork();
        if (child == 0)
            _exit(code);
        int status = 0;
        waitpid(child, &status, 0);
        expect(WEXITSTATUS(status) == code);
    }
}

int main(int argc, char **argv)
{
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tasks();
    regions();
    mpi_and_fork(rank);
    printf("wrong %d\n", wrong);
    fflush(stdout);
    MPI_Finalize();
#pragma omp parallel num_threads(2)
    {
        if (argc > 1 && omp_get_thread_num() == 1)
            exit(5);
#pragma omp barrier
    }
    return 4;
}
