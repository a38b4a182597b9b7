/* otf2_write.c - writes an OTF2 archive with the records that the lines of standard input name, for
 * the tests of the import: "comm PARENT MEMBER...", and "LOCATION TIME RECORD ARGUMENT...".
 * Locations from 100 on are threads of the process LOCATION - 100; communicator 0 is
 * MPI_COMM_WORLD. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };
static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static char *names[MOST];
static uint32_t n_names;

/* The reference of a region and of its name. */
static uint32_t region(const char *name)
{
    for (uint32_t i = 0; i < n_names; i++)
        if (!strcmp(names[i], name))
            return i;
    names[n_names] = strdup(name);
    return n_names++;
}

static void put(OTF2_EvtWriter *w, uint64_t t, const char *record, const char *name,
                const uint64_t *a)
{
    if (!strcmp(record, "enter"))
        OTF2_EvtWriter_Enter(w, NULL, t, region(name));
    else if (!strcmp(record, "leave"))
        OTF2_EvtWriter_Leave(w, NULL, t, region(name));
    else if (!strcmp(record, "send"))
        OTF2_EvtWriter_MpiSend(w, NULL, t, a[0], a[1], a[2], a[3]);
    else if (!strcmp(record, "recv"))
        OTF2_EvtWriter_MpiRecv(w, NULL, t, a[0], a[1], a[2], a[3]);
    else if (!strcmp(record, "isend"))
        OTF2_EvtWriter_MpiIsend(w, NULL, t, a[0], a[1], a[2], a[3], a[4]);
    else if (!strcmp(record, "irecv"))
        OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t, a[0]);
    else if (!strcmp(record, "received"))
        OTF2_EvtWriter_MpiIrecv(w, NULL, t, a[0], a[1], a[2], a[3], a[4]);
    else if (!strcmp(record, "sent"))
        OTF2_EvtWriter_MpiIsendComplete(w, NULL, t, a[0]);
    else if (!strcmp(record, "cancelled"))
        OTF2_EvtWriter_MpiRequestCancelled(w, NULL, t, a[0]);
    else if (!strcmp(record, "tested"))
        OTF2_EvtWriter_MpiRequestTest(w, NULL, t, a[0]);
    else if (!strcmp(record, "collective"))
        OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, t, a[0], a[1], a[2], a[3], a[4]);
    else if (!strcmp(record, "counter"))
        OTF2_EvtWriter_Metric(w, NULL, t, 0, 1, &(OTF2_Type){OTF2_TYPE_UINT64},
                              &(OTF2_MetricValue){.unsigned_int = a[0]});
    else
        exit(1);
}

int main(int argc, char **argv)
{
    static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};
    OTF2_EvtWriter *writers[MOST] = {0};
    uint64_t members[MOST][8], parents[MOST], n_members[MOST], n_comms = 1;
    char line[200];
    uint64_t n_ranks = 0;
    OTF2_Archive *archive =
        argc == 2 ? OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                      OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
                  : NULL;
    if (!archive)
        return 1;
    OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    while (fgets(line, sizeof line, stdin)) {
        char *words[10] = {0}, *rest = NULL;
        uint64_t numbers[10] = {0};
        int n = 0;
        for (char *w = strtok_r(line, " \n", &rest); w && n < 10;
             w = strtok_r(NULL, " \n", &rest)) {
            words[n] = w;
            numbers[n++] = strtoull(w, NULL, 10);
        }
        if (n > 2 && !strcmp(words[0], "comm")) {
            parents[n_comms] = numbers[1];
            n_members[n_comms] = (uint64_t)n - 2;
            memcpy(members[n_comms++], numbers + 2, ((size_t)n - 2) * sizeof *numbers);
            continue;
        }
        const uint64_t location = numbers[0];
        if (n < 4 || location >= MOST)
            return 1;
        if (!writers[location])
            writers[location] = OTF2_Archive_GetEvtWriter(archive, location);
        put(writers[location], numbers[1], words[2], words[3], numbers + 3);
        n_ranks = location < 100 && location >= n_ranks ? location + 1 : n_ranks;
    }
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    const uint32_t world = region("MPI_COMM_WORLD"), counter = region("PAPI_TOT_INS");
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000, 0, 1, OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < n_names; i++)
        OTF2_GlobalDefWriter_WriteString(d, i, names[i]);
    for (uint32_t i = 0; i < n_names; i++)
        OTF2_GlobalDefWriter_WriteRegion(d, i, i, i, i, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_Archive_OpenDefFiles(archive);
    for (unsigned i = 0; i < MOST; i++) {
        if (!writers[i])
            continue;
        if (i < 100)
            OTF2_GlobalDefWriter_WriteLocationGroup(d, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                    OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 1, i % 100);
        OTF2_Archive_CloseEvtWriter(archive, writers[i]);
        OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i));
        members[0][i % 100 % 8] = i % 100;
    }
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, (uint32_t)n_ranks, members[0]);
    n_members[0] = n_ranks;
    for (uint32_t i = 0; i < n_comms; i++) {
        OTF2_GlobalDefWriter_WriteGroup(d, i + 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, (uint32_t)n_members[i], members[i]);
        OTF2_GlobalDefWriter_WriteComm(d, i, i ? 0 : world, i + 1,
                                       i ? (uint32_t)parents[i] : OTF2_UNDEFINED_COMM,
                                       OTF2_COMM_FLAG_NONE);
    }
    OTF2_GlobalDefWriter_WriteMetricMember(d, 0, counter, 0, OTF2_METRIC_TYPE_PAPI,
                                           OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                           OTF2_BASE_DECIMAL, 0, 0);
    OTF2_GlobalDefWriter_WriteMetricClass(d, 0, 1, &(OTF2_MetricMemberRef){0},
                                          OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
    OTF2_Archive_CloseDefFiles(archive);
    OTF2_Archive_CloseEvtFiles(archive);
    return OTF2_Archive_Close(archive) != OTF2_SUCCESS;
}
