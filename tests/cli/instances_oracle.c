/* instances_oracle.c - replays several instances of SimGrid's text by its own functions:
 * PLATFORM.xml DEPLOYMENT.xml, then the name and the number of ranks of each instance. Prints when
 * each rank ends, by SimGrid's clock. */
#include <mpi.h>
#include <simgrid/engine.h>
#include <stdio.h>
#include <stdlib.h>

/* The arguments of an actor: instance, rank, file of its actions, delay in flops. */
static void replay_rank(int argc, char *argv[])
{
    if (argc < 5)
        return;
    smpi_replay_run(argv[1], (int)strtol(argv[2], NULL, 10), strtod(argv[4], NULL), argv[3]);
    printf("end %s %.9f\n", argv[1], simgrid_get_clock());
}

int main(int argc, char *argv[])
{
    simgrid_init(&argc, argv);
    SMPI_init();
    if (argc < 5)
        return 2;
    simgrid_load_platform(argv[1]);
    for (int i = 3; i + 1 < argc; i += 2)
        SMPI_app_instance_register(argv[i], replay_rank, (int)strtol(argv[i + 1], NULL, 10));
    simgrid_load_deployment(argv[2]);
    simgrid_run();
    SMPI_finalize();
    return 0;
}
