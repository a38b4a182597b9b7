/* sites.c - call sites: return address -> small id. */
#include "config.h"

#include "objects.h"
#include "runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

/* When paths have used most of the sites, further calls get a site without callers; when half are
 * used, samples get none. */
enum { N_SLOTS = 1 << 14, MAX_SITES = N_SLOTS / 2, MAX_IN_PATHS = MAX_SITES / 4 * 3 };
enum { MAX_SAMPLED = MAX_SITES / 2 };

static struct {
    void *address;
    uint32_t id, caller;
} slots[N_SLOTS];
static uint32_t n_sites;

void tlt_sites_reset(void)
{
    memset(slots, 0, sizeof slots);
    n_sites = 0;
    tlt_objects_reset();
}

uint32_t tlt_define_site(tl_site site)
{
    if (n_sites == MAX_SITES || !tlt.writer)
        return 0;
    site.id = n_sites + 1;
    if (tl_writer_define_site(tlt.writer, &site) != TL_OK)
        return 0;
    return n_sites = site.id;
}

/* A new site: dladdr1 takes a lock of the dynamic linker, so it is called once for each site. */
static uint32_t define(size_t slot, void *address, uint32_t caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    char room[3 * NAME_MAX + 1];
    tl_site site = {.object = "?", .offset = (uint64_t)(uintptr_t)address, .caller = caller};
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        site.object = tlt_utf8(slash ? slash + 1 : info.dli_fname, room, sizeof room);
        /* The byte before the return address belongs to the call instruction. Debuggers look up
         * this address, too. */
        site.offset = (uint64_t)((char *)address - (char *)info.dli_fbase) - 1;
        tlt_define_object(info.dli_fbase, map, site.object);
    }
    site.id = tlt_define_site(site);
    if (!site.id)
        return 0;
    slots[slot].address = address;
    slots[slot].id = site.id;
    slots[slot].caller = caller;
    return site.id;
}

/* New ones are defined only if there are fewer sites than `most`. */
static inline uint32_t find_or_define(void *return_address, uint32_t caller, uint32_t most)
{
    const uint64_t key = (uint64_t)(uintptr_t)return_address ^ (uint64_t)caller << 40;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15U >> 50);
    while (slots[i].address) {
        if (slots[i].address == return_address && slots[i].caller == caller)
            return slots[i].id;
        i = (i + 1) % N_SLOTS;
    }
    return n_sites < most ? define(i, return_address, caller) : 0;
}

uint32_t tlt_site(void *return_address)
{
    return find_or_define(return_address, 0, MAX_SITES);
}

static uint32_t find_or_define_path(void *const addresses[], size_t n, uint32_t site, uint32_t most)
{
    while (n-- > 0) {
        site = find_or_define(addresses[n], site, most);
        if (!site)
            break;
    }
    return site;
}

uint32_t tlt_site_path(void *const return_addresses[], size_t n, uint32_t site)
{
    if (n_sites + n > MAX_IN_PATHS)
        return tlt_site(return_addresses[0]);
    return find_or_define_path(return_addresses, n, site, MAX_SITES);
}

uint32_t tlt_site_sampled(void *const addresses[], size_t n)
{
    return find_or_define_path(addresses, n, 0, MAX_SAMPLED);
}
