/* turns.c - prints how long a rank may compute before another one gets its core, before and after
 * MPI_Init. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* sched_getattr(2), the first version of its structure */
static unsigned long turn_ns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attr = {.size = sizeof attr};
    return syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) == 0
               ? (unsigned long)attr.runtime_ns
               : 0;
}

int main(int argc, char **argv)
{
    const unsigned long before_ns = turn_ns();
    MPI_Init(&argc, &argv);
    printf("turns of %lu ns, then of %lu ns\n", before_ns, turn_ns());
    MPI_Finalize();
    return 0;
}
