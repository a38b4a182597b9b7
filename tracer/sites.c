/* sites.c - call sites: return address -> small id. */
#include "config.h"

#include "objects.h"
#include "runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

enum { N_SLOTS = 1 << 14, MAX_SITES = N_SLOTS / 2 };

static struct {
    void *address;
    uint32_t id;
} slots[N_SLOTS];
static uint32_t n_sites;

void tlt_sites_reset(void)
{
    memset(slots, 0, sizeof slots);
    n_sites = 0;
    tlt_objects_reset();
}

/* A new site: dladdr1 takes a lock of the dynamic linker, so it is called once for each site. */
static uint32_t define(size_t slot, void *address)
{
    if (n_sites == MAX_SITES || !tlt.writer)
        return 0;
    Dl_info info;
    struct link_map *map = NULL;
    char room[3 * NAME_MAX + 1];
    tl_site site = {.id = n_sites + 1, .object = "?", .offset = (uint64_t)(uintptr_t)address};
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        site.object = tlt_utf8(slash ? slash + 1 : info.dli_fname, room, sizeof room);
        /* The byte before the return address belongs to the call instruction. Debuggers look up
         * this address, too. */
        site.offset = (uint64_t)((char *)address - (char *)info.dli_fbase) - 1;
        tlt_define_object(info.dli_fbase, map, site.object);
    }
    if (tl_writer_define_site(tlt.writer, &site) != TL_OK)
        return 0;
    slots[slot].address = address;
    slots[slot].id = site.id;
    n_sites = site.id;
    return site.id;
}

uint32_t tlt_site(void *return_address)
{
    size_t i = (size_t)((uint64_t)(uintptr_t)return_address * 0x9e3779b97f4a7c15U >> 50);
    while (slots[i].address) {
        if (slots[i].address == return_address)
            return slots[i].id;
        i = (i + 1) % N_SLOTS;
    }
    return define(i, return_address);
}
