/* memory.c - memory for SimGrid's small objects.
 *
 * SimGrid makes and frees a dozen small objects for each message. C++ programs can replace operator
 * new and delete. This module loads libsimgrid, which looks for these operators in the module
 * first. The operators here take pieces of a few sizes from lists, without the header and the
 * merging of malloc. That saves a fifth of the CPU time of a ring of 16 ranks. A build with
 * sanitizers uses the sanitizers' operators, which check more. */
#include "config.h"

#include "shims.h"
#include "smpi/rank.h"

#include <stdlib.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__

/* Declared in the sanitizers' sanitizer/allocator_interface.h, which GCC does not install. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

/* detached.c asks for blocks of this size: the nodes of a std::list of pointers. */
enum { NODE_BYTES = 3 * sizeof(void *) };

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

void smpi_memory_keep(size_t bytes)
{
    (void)bytes;
}

#else

/* A chunk holds pieces of one size. The arena consists of addresses only; a chunk gets memory when
 * it is used. */
enum { STEP_BYTES = 16, LARGEST_BYTES = 512, N_SIZES = LARGEST_BYTES / STEP_BYTES + 1 };
enum { CHUNK_BYTES = 1 << 15, MAX_CHUNKS = 1 << 22 };
#define ARENA_BYTES ((size_t)CHUNK_BYTES * MAX_CHUNKS)

typedef struct piece {
    struct piece *next;
} piece;

static char *arena;
static uint8_t *sizes; /* of each chunk's pieces, in steps */
static uint32_t n_chunks;
/* Thread-local variables of a module are found by a call, unless they are in the static block. */
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
THREAD_LOCAL piece *unused[N_SIZES]; /* of each size */
THREAD_LOCAL void *last;

const void *smpi_memory_last(void)
{
    return last;
}

/* A block that is still used when its owner, a std::vector, has grown and frees it. The vector
 * grows by allocating the new block and freeing the old one directly afterwards. */
enum { MAX_KEPT = 4 };
static size_t kept_bytes;
static const void *kept[MAX_KEPT], *newest; /* newest: of the large blocks */
static size_t n_kept;

void smpi_memory_keep(size_t bytes)
{
    kept_bytes = bytes;
}

static void note_large(const void *memory, size_t bytes)
{
    newest = memory;
    if (bytes == kept_bytes && n_kept < MAX_KEPT)
        kept[n_kept++] = memory;
}

/* Nonzero if the block must not be freed. The newest block then takes its role. */
static int is_kept(const void *memory)
{
    for (size_t i = 0; i < n_kept; i++)
        if (kept[i] == memory) {
            kept[i] = newest;
            return 1;
        }
    return 0;
}

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* libstdc++ allocates before main. */
static void __attribute__((constructor(101))) open_arena(void)
{
    if (arena || !smpi_shim_holds(SMPI_SHIM_MEMORY))
        return;
    sizes = reserve(MAX_CHUNKS);
    arena = sizes ? reserve(ARENA_BYTES) : NULL;
}

/* The pieces of a new chunk; NULL if there is none. */
static piece *cut_chunk(unsigned size)
{
    const uint32_t chunk = arena ? __atomic_fetch_add(&n_chunks, 1, __ATOMIC_RELAXED) : MAX_CHUNKS;
    if (chunk >= MAX_CHUNKS)
        return NULL;
    sizes[chunk] = (uint8_t)size;
    char *first = arena + (size_t)chunk * CHUNK_BYTES, *next = NULL;
    const size_t step = (size_t)size * STEP_BYTES;
    for (size_t n = CHUNK_BYTES / step; n > 0; n--) {
        piece *p = (piece *)(void *)(first + (n - 1) * step);
        p->next = (piece *)(void *)next;
        next = (char *)p;
    }
    return (piece *)(void *)first;
}

/* Rounds the size up to a step; size 0 counts as the first step. */
static unsigned size_of(size_t bytes)
{
    return bytes ? (unsigned)((bytes + STEP_BYTES - 1) / STEP_BYTES) : 1;
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
    const unsigned size = size_of(bytes);
    piece *p = NULL;
    if (bytes <= LARGEST_BYTES) {
        p = unused[size] ? unused[size] : cut_chunk(size);
        if (p)
            unused[size] = p->next;
    }
    void *memory = p ? p : malloc(bytes ? bytes : 1);
    if (!memory)
        give_up(bytes);
    last = p;
    if (bytes > LARGEST_BYTES)
        note_large(memory, bytes);
    return memory;
}

static int is_piece(const void *memory)
{
    return arena && (size_t)((const char *)memory - arena) < ARENA_BYTES;
}

static void take_back(piece *p, unsigned size)
{
    p->next = unused[size];
    unused[size] = p;
}

EXPORTED void smpi_memory_delete(void *memory)
{
    if (is_piece(memory))
        take_back(memory, sizes[(size_t)((char *)memory - arena) / CHUNK_BYTES]);
    else
        free(memory);
}

void operator_delete_sized(void *memory, size_t bytes)
{
    if (bytes > LARGEST_BYTES && is_kept(memory))
        return;
    if (is_piece(memory))
        take_back(memory, size_of(bytes));
    else
        free(memory);
}

#endif
