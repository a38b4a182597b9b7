/* print_events.c - what a test can compare of one rank's part of a trace: its communicators and its
 * events, without volumes, polls, sites and clocks.
 *
 *     print_events FILE RANK
 *     print_events FILE RANK polls      the calls with polls before them
 *     print_events FILE RANK volumes    name and volume of each event
 *     print_events FILE RANK run        the header
 *     print_events FILE RANK sites      the objects in which the call sites lie
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeless.h"

static void print_ranks(const char *what, const int32_t *ranks, uint32_t n)
{
    fputs(what, stdout);
    for (uint32_t i = 0; i < n; i++)
        printf(" %d", ranks[i]);
}

static void print_comms(const tl_reader *r, uint32_t rank)
{
    const tl_comm *comms;
    size_t n = tl_reader_comms(r, rank, &comms);
    for (size_t i = 0; i < n; i++) {
        printf("comm %u of %u:", comms[i].id, comms[i].parent);
        print_ranks("", comms[i].members, comms[i].n_members);
        if (comms[i].n_remote)
            print_ranks(" remote", comms[i].remote, comms[i].n_remote);
        if (comms[i].n_sources || comms[i].n_destinations) {
            print_ranks(" sources", comms[i].sources, comms[i].n_sources);
            print_ranks(" destinations", comms[i].destinations, comms[i].n_destinations);
        }
        const char *folder_end = strrchr(comms[i].name, '/');
        printf("%s%s", *comms[i].name ? " " : "", folder_end ? folder_end + 1 : comms[i].name);
        if (comms[i].has_tag)
            printf(" tag %" PRId32, comms[i].tag);
        putchar('\n');
    }
}

/* Cuts the line where the parts that differ from run to run begin. */
static void print_event(const tl_event *e)
{
    static const char *const variable[] = {" clock_ns=", " volume="};
    char line[4096];
    tl_event_text(e, line, sizeof line);
    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
        char *cut = strstr(line, variable[i]);
        if (cut)
            *cut = '\0';
    }
    puts(line);
}

static void print_objects(const tl_reader *r, uint32_t rank)
{
    const tl_site *sites;
    size_t n = tl_reader_sites(r, rank, &sites);
    for (size_t i = 0; i < n; i++) {
        size_t seen = 0;
        while (strcmp(sites[seen].object, sites[i].object) != 0)
            seen++;
        if (seen == i)
            puts(sites[i].object);
    }
}

static void print_run(const tl_reader *r)
{
    const tl_run *run = tl_reader_run(r);
    printf("ranks %u\nunit %s\nsource %s\nprogram %s\n", run->n_ranks, run->volume_unit,
           run->volume_source, run->program);
}

int main(int argc, char **argv)
{
    tl_reader *r;
    tl_cursor *c;
    tl_error err;
    tl_event e;
    tl_status status;
    tl_rank_summary summary;
    if (argc < 3)
        return 2;
    uint32_t rank = (uint32_t)strtoul(argv[2], NULL, 10);
    const char *what = argc > 3 ? argv[3] : "events";
    if (tl_reader_open(argv[1], &r, &err) || tl_cursor_open(r, rank, &c, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    if (!strcmp(what, "run"))
        print_run(r);
    if (!strcmp(what, "events"))
        print_comms(r, rank);
    if (!strcmp(what, "sites"))
        print_objects(r, rank);
    while ((status = tl_cursor_next(c, &e)) == TL_OK)
        if (!strcmp(what, "events"))
            print_event(&e);
        else if (!strcmp(what, "volumes"))
            printf("%s %" PRIu64 "\n", tl_call_by_code(e.call)->name, e.volume);
        else if (!strcmp(what, "polls") && e.polls)
            printf("%s\n", tl_call_by_code(e.call)->name);
    tl_reader_rank(r, rank, &summary);
    if (strcmp(what, "sites") != 0)
        printf("end %d\n", (int)summary.end);
    tl_cursor_close(c);
    tl_reader_close(r);
    return status == TL_END ? 0 : 3;
}
