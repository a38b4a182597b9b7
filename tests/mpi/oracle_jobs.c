/* oracle_jobs.c - several instances of the oracle's program in one simulation, which smpirun cannot
 * start.
 *
 *     oracle_jobs PLATFORM DEPLOYMENT RANKS... [--cfg=KEY:VALUE]...
 *
 * RANKS: of each instance; in the deployment the function of all actors is "oracle", and the
 * instances are "0", "1" and so on.
 */
#include <stdio.h>
#include <stdlib.h>

#include <simgrid/engine.h>
#include <smpi/smpi.h>

int oracle_main(int argc, char **argv);

static void run_rank(int argc, char **argv)
{
    oracle_main(argc, argv);
}

int main(int argc, char **argv)
{
    smpi_init_options();
    simgrid_init(&argc, argv); /* takes its options away */
    if (argc < 4) {
        fputs("usage: oracle_jobs PLATFORM DEPLOYMENT RANKS...\n", stderr);
        return 2;
    }
    simgrid_load_platform(argv[1]);
    SMPI_init();
    simgrid_register_function("oracle", run_rank);
    for (int i = 3; i < argc; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i - 3);
        SMPI_app_instance_register(name, NULL, (int)strtol(argv[i], NULL, 10));
    }
    simgrid_load_deployment(argv[2]);
    simgrid_run();
    SMPI_finalize();
    return 0;
}
