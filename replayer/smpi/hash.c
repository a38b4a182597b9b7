/* hash.c - tables with a chain for each hash; there are at least as many chains as entries. */
#include "config.h"

#include "hash.h"
#include "state.h"

#include <stdlib.h>

static smpi_entry **chain_of(const smpi_table *t, uint64_t key, uint64_t more)
{
    uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ more) * UINT64_C(0xbf58476d1ce4e5b9);
    return &t->chains[h >> 32 & (t->n_chains - 1)];
}

void *smpi_find(const smpi_table *t, uint64_t key, uint64_t more)
{
    smpi_entry *e = t->n ? *chain_of(t, key, more) : NULL;
    while (e && (e->key != key || e->more != more))
        e = e->next;
    return e ? e->value : NULL;
}

static void insert(smpi_table *t, smpi_entry *e)
{
    smpi_entry **chain = chain_of(t, e->key, e->more);
    e->next = *chain;
    *chain = e;
}

static void grow(smpi_table *t)
{
    const smpi_table old = *t;
    t->n_chains = old.n_chains ? 2 * old.n_chains : 1024;
    t->chains = smpi_alloc(t->n_chains, sizeof(smpi_entry *));
    for (size_t i = 0; i < old.n_chains; i++)
        for (smpi_entry *e = old.chains[i], *next; e; e = next) {
            next = e->next;
            insert(t, e);
        }
    free(old.chains);
}

void smpi_add(smpi_table *t, smpi_entry *e, uint64_t key, uint64_t more, void *value)
{
    if (t->n == t->n_chains)
        grow(t);
    *e = (smpi_entry){.key = key, .more = more, .value = value};
    insert(t, e);
    t->n++;
}

void smpi_remove(smpi_table *t, const smpi_entry *e)
{
    smpi_entry **at = chain_of(t, e->key, e->more);
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    t->n--;
}
