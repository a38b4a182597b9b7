/* memory.c - what SimGrid allocates: operators new and delete.
 *
 * C++ programs can replace these operators. This module loads libsimgrid, which looks for them in
 * the module first. Here they are malloc and free, but
 *   - detached.c learns which object was made last;
 *   - some blocks are never freed, because SimGrid frees them too early;
 *   - if there is no memory, the message says what asks for it.
 * A build with sanitizers uses the sanitizers' operators, which check more. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <stdlib.h>

/* detached.c asks for blocks of this size: the nodes of a std::list of pointers. */
enum { NODE_BYTES = 3 * sizeof(void *) };

static size_t kept_bytes; /* blocks of this size are to be kept; 0: none */

/* In replay mode, the collectives of all ranks share two vectors in SMPI 3.32. A vector grows when
 * a rank needs more room, and other ranks in the middle of a collective continue with the memory
 * that was freed. Here the vectors are made with a size that no other block has, so that their
 * blocks are known. These blocks are never freed. This takes no more memory than the vectors have
 * in the end.
 *
 * A vector that has had no room yet has no memory either. If an algorithm of Open MPI then asks for
 * 0 bytes, it takes the null pointer for a lack of memory and ends without its messages. The
 * algorithm below makes both vectors and sends nothing. Those of the options may make none. */
int reduce_scatter(const void *out, void *in, const int *counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) SMPI_THEIRS(SG_REDUCE_SCATTER_RDB);

void smpi_memory_share(void)
{
    const int bytes = 4099;
    if (!reduce_scatter)
        return;
    kept_bytes = (size_t)bytes;
    reduce_scatter(replay.send_buffer, replay.recv_buffer, &bytes, MPI_BYTE, replay.commutative,
                   MPI_COMM_SELF);
    kept_bytes = 0;
}

#ifdef __SANITIZE_ADDRESS__

/* Declared in the sanitizers' sanitizer/allocator_interface.h, which GCC does not install. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

static __thread const volatile void *last;

static void note_new(const volatile void *memory, size_t bytes)
{
    last = bytes == NODE_BYTES ? memory : NULL;
}

static void note_delete(const volatile void *memory)
{
    if (memory == last)
        last = NULL;
}

static void __attribute__((constructor)) watch_memory(void)
{
    __sanitizer_install_malloc_and_free_hooks(note_new, note_delete);
}

const void *smpi_memory_last(void)
{
    return (const void *)(uintptr_t)last;
}

#else

/* Thread-local variables of a module are found by a call, unless they are in the static block. */
static __thread __attribute__((tls_model("initial-exec"))) void *last;

const void *smpi_memory_last(void)
{
    return last;
}

/* A block that is still used when its owner, a std::vector, has grown and frees it. The vector
 * grows by allocating the new block and freeing the old one directly afterwards. */
enum { MAX_KEPT = 4 };
static const void *kept[MAX_KEPT], *newest;
static size_t n_kept;

static void note_new(const void *memory, size_t bytes)
{
    newest = memory;
    if (kept_bytes && bytes == kept_bytes && n_kept < MAX_KEPT)
        kept[n_kept++] = memory;
}

/* Nonzero if the block must not be freed. The newest block then takes its role. */
static bool is_kept(const void *memory)
{
    for (size_t i = 0; i < n_kept; i++)
        if (kept[i] == memory) {
            kept[i] = newest;
            return 1;
        }
    return 0;
}

/* operator new(size_t), operator delete(void *) and operator delete(void *, size_t), by their names
 * in the C++ ABI. They cannot throw an exception: if memory is out, the replay ends, as in C. */
#define EXPORTED __attribute__((visibility("default")))
void operator_delete_sized(void *memory, size_t bytes) __asm__(SG_DELETE_SIZED) EXPORTED;

/* The largest blocks are SimGrid's copies of what a collective reduces. */
static void __attribute__((noreturn)) give_up(size_t bytes)
{
    if (!replay.has_begun)
        abort();
    smpi_give_up(
        TL_ERR_MEMORY,
        "out of memory: SimGrid asks for a block of %.4g MB, as it does for reductions of so "
        "many bytes; use --engine loggops, or a machine with more memory",
        1e-6 * (double)bytes);
}

EXPORTED void *smpi_memory_new(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        give_up(bytes);
    last = bytes == NODE_BYTES ? memory : NULL;
    note_new(memory, bytes);
    return memory;
}

EXPORTED void smpi_memory_delete(void *memory)
{
    if (memory == last)
        last = NULL;
    free(memory);
}

void operator_delete_sized(void *memory, size_t bytes)
{
    (void)bytes;
    if (!is_kept(memory))
        smpi_memory_delete(memory);
}

#endif
