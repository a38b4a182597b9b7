/* hash.h - tables by one or two words: addresses of SimGrid's objects, numbers of processes.
 *
 * An entry is a part of what it stands for, which the caller allocates and frees. */
#ifndef TLR_SMPI_HASH_H
#define TLR_SMPI_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct smpi_entry {
    struct smpi_entry *next; /* in the same chain */
    uint64_t key, more;
    void *value;
} smpi_entry;

/* Zero at first. */
typedef struct smpi_table {
    size_t n, n_chains; /* n_chains: 0 or a power of two */
    smpi_entry **chains;
} smpi_table;

/* The value with this key; NULL: none. */
void *smpi_find(const smpi_table *table, uint64_t key, uint64_t more);
/* No other entry has the key. */
void smpi_add(smpi_table *table, smpi_entry *entry, uint64_t key, uint64_t more, void *value);
/* Removes an entry that is in the table. */
void smpi_remove(smpi_table *table, const smpi_entry *entry);

#endif
