/* functions.c - functions of the program that return at once: "NAME", or "NAME:1,2" for a kernel
 * whose sizes are these arguments.
 *
 * The symbol table of the program's file tells where a function begins. Its first bytes are
 * replaced by a jump: to code that returns 0, or to code that passes the arguments in integer
 * registers to tlt_record_skipped() first. Arguments on the stack and floating-point numbers do not
 * count.
 */
#include "config.h"

#include "skip/skip.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"

enum { MAX_NAME_BYTES = 128, MAX_SIZES = 6 };

typedef struct skipped_function {
    char name[MAX_NAME_BYTES];
    uint32_t n_sizes;
    unsigned arguments[MAX_SIZES]; /* from 0 */
} skipped_function;

#ifdef __x86_64__

/* ---- the code that replaces a function ---- */

void tlt_record_skipped(const skipped_function *f, const int64_t *arguments, void *caller)
    __attribute__((visibility("hidden")));

/* `arguments` are the six integer registers. Fortran passes addresses; these are no sizes. */
void tlt_record_skipped(const skipped_function *f, const int64_t *arguments, void *caller)
{
    int64_t sizes[MAX_SIZES];
    for (uint32_t i = 0; i < f->n_sizes; i++)
        sizes[i] = (int32_t)arguments[f->arguments[i]];
    tlt_put_user_kernel(f->name, caller, f->n_sizes, sizes);
}

/* A skipped function gets here with its description in r10, and with the stack of its caller. */
void tlt_skipped_function(void) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden tlt_skipped_function\n"
        ".type tlt_skipped_function, @function\n"
        "tlt_skipped_function:\n"
        "    push %r9\n"
        "    push %r8\n"
        "    push %rcx\n"
        "    push %rdx\n"
        "    push %rsi\n"
        "    push %rdi\n"
        "    mov %r10, %rdi\n"
        "    mov %rsp, %rsi\n"
        "    mov 48(%rsp), %rdx\n"
        "    sub $8, %rsp\n" /* calls need a multiple of 16 */
        "    call tlt_record_skipped\n"
        "    add $56, %rsp\n"
        "    xor %eax, %eax\n"
        "    pxor %xmm0, %xmm0\n"
        "    ret\n"
        ".size tlt_skipped_function, . - tlt_skipped_function\n");

static unsigned char *put_word(unsigned char *at, const void *word)
{
    const uint64_t value = (uintptr_t)word;
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

enum { MAX_CODE_BYTES = 23 };

/* The code, and its length. */
static size_t write_code(const skipped_function *f, unsigned char code[MAX_CODE_BYTES])
{
    static const unsigned char return_0[] = {0x31, 0xc0, 0x66, 0x0f, 0xef, 0xc0, 0xc3};
    unsigned char *at = code;
    if (!f->n_sizes) { /* xor eax, eax; pxor xmm0, xmm0; ret */
        memcpy(code, return_0, sizeof return_0);
        return sizeof return_0;
    }
    *at++ = 0x49; /* mov r10, f */
    *at++ = 0xba;
    at = put_word(at, f);
    *at++ = 0x49; /* mov r11, tlt_skipped_function */
    *at++ = 0xbb;
    at = put_word(at, (const void *)tlt_skipped_function);
    *at++ = 0x41; /* jmp r11 */
    *at++ = 0xff;
    *at++ = 0xe3;
    return (size_t)(at - code);
}

static const char *replace(const skipped_function *f, unsigned char *begin, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char code[MAX_CODE_BYTES];
    const size_t length = write_code(f, code);
    if (size < length)
        return "it is too short to be replaced";
    const uintptr_t first = (uintptr_t)begin & ~(page - 1);
    const size_t n_bytes = (((uintptr_t)begin + length + page - 1) & ~(page - 1)) - first;
    if (mprotect((void *)first, n_bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return "the system does not allow its code to be changed";
    memcpy(begin, code, length);
    mprotect((void *)first, n_bytes, PROT_READ | PROT_EXEC);
    return NULL;
}

#else

static const char *replace(const skipped_function *f, unsigned char *begin, size_t size)
{
    (void)f;
    (void)begin;
    (void)size;
    return "functions can be skipped on x86-64 only";
}

#endif

/* ---- where it is ---- */

typedef struct program_file {
    const char *bytes;
    size_t size;
    uintptr_t bias; /* of the addresses in it */
} program_file;

static int see_program(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uintptr_t *)bias = info->dlpi_addr;
    return 1; /* the program is the first */
}

static bool open_program(program_file *p)
{
    struct stat st;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(ElfW(Ehdr)))
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return false;
    p->bytes = bytes;
    p->size = (size_t)st.st_size;
    dl_iterate_phdr(see_program, &p->bias);
    return true;
}

/* n elements at an offset of the file; NULL: not all of them are in it. */
static const void *part_of(const program_file *p, uint64_t offset, uint64_t n, size_t element)
{
    return offset <= p->size && n <= (p->size - offset) / element ? p->bytes + offset : NULL;
}

/* The sections of the file, or NULL. */
static const ElfW(Shdr) * sections_of(const program_file *p, unsigned *n)
{
    const ElfW(Ehdr) *header = part_of(p, 0, 1, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return NULL;
    *n = header->e_shnum;
    return part_of(p, header->e_shoff, *n, sizeof(ElfW(Shdr)));
}

/* Replaces all functions of this name in a symbol table; static ones may have the same name. */
static unsigned replace_in(const program_file *p, const ElfW(Shdr) * table,
                           const ElfW(Shdr) * names, const skipped_function *f, const char **why)
{
    const ElfW(Sym) *symbols =
        part_of(p, table->sh_offset, table->sh_size / sizeof *symbols, sizeof *symbols);
    const char *text = part_of(p, names->sh_offset, names->sh_size, 1);
    const size_t length = strlen(f->name) + 1;
    unsigned n_found = 0;
    for (size_t i = 0; symbols && text && i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if ((s->st_info & 0xf) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
            s->st_name > names->sh_size || names->sh_size - s->st_name < length ||
            memcmp(text + s->st_name, f->name, length) != 0)
            continue;
        n_found++;
        const char *problem = replace(f, (unsigned char *)(p->bias + s->st_value), s->st_size);
        if (problem)
            *why = problem;
    }
    return n_found;
}

/* What is wrong, or NULL. */
static const char *skip_function(const program_file *p, const skipped_function *f)
{
    static const unsigned tables[] = {SHT_SYMTAB, SHT_DYNSYM};
    unsigned n_sections = 0;
    const ElfW(Shdr) *sections = sections_of(p, &n_sections);
    const char *why = NULL;
    for (size_t t = 0; sections && t < sizeof tables / sizeof *tables; t++)
        for (unsigned i = 0; i < n_sections; i++)
            if (sections[i].sh_type == tables[t] && sections[i].sh_link < n_sections &&
                replace_in(p, &sections[i], &sections[sections[i].sh_link], f, &why))
                return why;
    return "the program has no such function; 'nm PROGRAM' lists those that it has";
}

/* ---- which ---- */

/* "NAME" or "NAME:1,2" */
static bool read_function(const char *text, skipped_function *f)
{
    const size_t length = strcspn(text, ":");
    if (length >= sizeof f->name)
        return false;
    memcpy(f->name, text, length);
    f->name[length] = '\0';
    f->n_sizes = 0;
    for (const char *at = text + length; *at;) { /* at a colon, or a comma */
        char *end;
        const unsigned long argument = strtoul(at + 1, &end, 10);
        if (end == at + 1 || (*end && *end != ',') || argument < 1 || argument > MAX_SIZES ||
            f->n_sizes == MAX_SIZES)
            return false;
        f->arguments[f->n_sizes++] = (unsigned)argument - 1;
        at = end;
    }
    return true;
}

void tlt_skip_functions(void)
{
    enum { MAX_FUNCTIONS = 64 };
    static skipped_function functions[MAX_FUNCTIONS]; /* the code that replaces them refers to it */
    static bool replaced;
    program_file p = {0};
    char text[MAX_NAME_BYTES + 32];
    if (replaced || !tlt_skip_word("function", 0, text, sizeof text) || !open_program(&p))
        return;
    replaced = true;
    for (int i = 0; i < MAX_FUNCTIONS && tlt_skip_word("function", i, text, sizeof text); i++) {
        const char *why = "give NAME, or NAME:1,2 with arguments from 1 to 6";
        if (read_function(text, &functions[i]))
            why = skip_function(&p, &functions[i]);
        if (why && tlt.rank == 0)
            tlt_say("--skip %s: not skipped: %s", text, why);
    }
    munmap((void *)p.bytes, p.size);
}
