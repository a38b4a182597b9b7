/* routes FILE [PAIRS] - compares the routes of our reader with those of SimGrid for random pairs of
 * hosts: latency and smallest bandwidth. Prints "HOSTS PAIRS equal" and exits with 0, or prints the
 * first pair that differs and exits with 1. Our own refusal is printed, exit code 3. */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cluster.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>

static int are_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static unsigned next_random(uint64_t *state, size_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((*state >> 33) % n);
}

static const tlr_host *find_host(const tlr_cluster *c, const char *name)
{
    for (size_t i = 0; i < c->n_hosts; i++)
        if (!strcmp(c->hosts[i].name, name))
            return &c->hosts[i];
    return NULL;
}

static int compare_hosts(const tlr_cluster *c)
{
    const size_t n = sg_host_count();
    sg_host_t *hosts = sg_host_list();
    int differ = n != c->n_hosts;
    for (size_t i = 0; i < n && !differ; i++) {
        const tlr_host *host = find_host(c, sg_host_get_name(hosts[i]));
        differ = !host || host->n_cores != (unsigned)sg_host_core_count(hosts[i]) ||
                 !are_near(c->speeds[host - c->hosts], sg_host_get_speed(hosts[i]));
    }
    free(hosts);
    if (differ)
        printf("the hosts differ: %zu here, %zu in SimGrid\n", c->n_hosts, n);
    return differ;
}

/* Pairs of both alike: with equal routes; without a route. Pairs that are not compared: with a
 * route that we refuse to know, or without one for us where SimGrid has ended itself MOST_ENDS
 * times. */
typedef struct counts {
    int n_equal, n_none, n_left, n_ends;
} counts;
enum { MOST_ENDS = 5 }; /* each takes seconds */

/* In a process of its own: SimGrid ends itself at some pairs that have no route. */
static int has_no_route(sg_host_t a, sg_host_t b, counts *n)
{
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)!freopen("/dev/null", "w", stderr);
        _exit(sg_host_get_route_bandwidth(a, b) >= 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 0;
    n->n_ends += !WIFEXITED(status);
    return !WIFEXITED(status) || !WEXITSTATUS(status);
}

static int compare_pair(const tlr_cluster *c, size_t from, size_t to, counts *n)
{
    tlr_route route;
    tl_error err;
    const tl_status status = tlr_route_find(c, from, to, &route, &err);
    if (status != TL_OK && (strstr(err.text, "Wi-Fi") || n->n_ends == MOST_ENDS)) {
        n->n_left++;
        return 0;
    }
    sg_host_t a = sg_host_by_name(c->hosts[from].name), b = sg_host_by_name(c->hosts[to].name);
    if (status != TL_OK && has_no_route(a, b, n)) {
        n->n_none++;
        return 0;
    }
    const double Bps = sg_host_get_route_bandwidth(a, b);
    const double latency_s = sg_host_get_route_latency(a, b);
    const double slowest_Bps = fmin(route.bandwidth_Bps, route.limiter_Bps);
    if (status == TL_OK && are_near(latency_s, route.latency_s) && are_near(Bps, slowest_Bps)) {
        n->n_equal++;
        return 0;
    }
    printf("%s -> %s: %g s, %g B/s here; %g s, %g B/s in SimGrid\n", c->hosts[from].name,
           c->hosts[to].name, route.latency_s, slowest_Bps, latency_s, Bps);
    return 1;
}

int main(int argc, char **argv)
{
    char name[] = "routes", model[] = "--cfg=network/model:SMPI",
         quiet[] = "--log=root.thres:error";
    char *args[] = {name, model, quiet, NULL};
    int n_args = 3;
    const int n_pairs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000;
    tlr_cluster cluster;
    tl_error err;
    counts n = {0, 0, 0};
    if (argc < 2)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    const tl_status status = tlr_cluster_read(argv[1], &cluster, &err);
    if (status != TL_OK)
        printf("%s\n", err.text);
    simgrid_init(&n_args, args);
    simgrid_load_platform(argv[1]);
    simgrid_run(); /* works out what routes need */
    if (status != TL_OK)
        return 3;
    if (compare_hosts(&cluster))
        return 1;
    uint64_t state = 1;
    for (int i = 0; i < n_pairs; i++) {
        const size_t from = next_random(&state, cluster.n_hosts);
        if (compare_pair(&cluster, from, next_random(&state, cluster.n_hosts), &n))
            return 1;
    }
    printf("%zu hosts; of %d pairs %d equal, %d without a route in both, %d not compared\n",
           cluster.n_hosts, n_pairs, n.n_equal, n.n_none, n.n_left);
    tlr_cluster_free(&cluster);
    return 0;
}
