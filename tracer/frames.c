/* frames.c - reads the unwind tables: "The .eh_frame section" of the Linux Standard Base, and the
 * call frame information of DWARF. Every table lies within the memory of an object file; a form
 * that compilers do not write for calls makes the frame unknown. */
#include "config.h"

#include "frames.h"

#include <pthread.h>

#ifdef __x86_64__

#include <dlfcn.h>
#include <link.h>
#include <string.h>

enum { REGISTER_FP = 6, REGISTER_SP = 7, REGISTER_RETURN = 16 };

/* Encodings of pointers (DW_EH_PE). */
enum { FORM = 0x0f, PC_RELATIVE = 0x10, ABSOLUTE = 0, UDATA4 = 3, UDATA8 = 4, SDATA4 = 0xb };
enum { SDATA8 = 0xc, SORTED_TABLE = 0x3b };

/* DW_OP_breg6, the frame pointer plus an offset; DW_OP_deref. */
enum { OP_FP = 0x76, OP_DEREF = 0x06, MAX_REMEMBERED = 8, MAX_OFFSET = 1 << 30 };

typedef struct input {
    const uint8_t *p, *end;
    bool bad;
} input;

static uint64_t get_number(input *in, size_t bytes)
{
    uint64_t value = 0;
    if (in->bad || (size_t)(in->end - in->p) < bytes) {
        in->bad = true;
        return 0;
    }
    memcpy(&value, in->p, bytes); /* little-endian */
    in->p += bytes;
    return value;
}

static uint64_t get_uleb(input *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint64_t byte = get_number(in, 1);
        if (in->bad || shift > 56) {
            in->bad = true;
            return 0;
        }
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static int64_t get_sleb(input *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        const uint64_t byte = get_number(in, 1);
        if (in->bad || shift > 56) {
            in->bad = true;
            return 0;
        }
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        return (int64_t)(byte & 0x40 ? value | ~UINT64_C(0) << shift : value);
    }
}

/* A pointer in one of the forms that linkers write. */
static uint64_t get_pointer(input *in, unsigned encoding)
{
    const uint64_t at = (uint64_t)(uintptr_t)in->p;
    uint64_t value = 0;
    switch (encoding & FORM) {
    case ABSOLUTE:
    case UDATA8:
    case SDATA8: value = get_number(in, 8); break;
    case UDATA4: value = get_number(in, 4); break;
    case SDATA4: value = (uint64_t)(int64_t)(int32_t)get_number(in, 4); break;
    default: in->bad = true;
    }
    if ((encoding & ~(unsigned)FORM) == PC_RELATIVE)
        return value + at;
    if (encoding & ~(unsigned)FORM)
        in->bad = true;
    return value;
}

/* ---- the instructions of a table ---- */

typedef struct rules {
    tlt_frame frame;
    uint64_t cfa_register;
    bool is_expression, bad;
} rules;

typedef struct program {
    rules now, initial, remembered[MAX_REMEMBERED];
    size_t n_remembered;
    uint64_t code_unit;
    int64_t data_unit;
    uint64_t pc; /* of the instructions that follow */
} program;

static void set_offset(rules *r, int32_t *to, int64_t offset)
{
    r->bad |= offset > MAX_OFFSET || offset < -MAX_OFFSET;
    *to = (int32_t)offset;
}

static void set_cfa(rules *r, uint64_t number, int64_t offset)
{
    r->cfa_register = number;
    r->is_expression = false;
    set_offset(r, &r->frame.cfa, offset);
}

static void save(rules *r, uint64_t number, uint8_t kind, int64_t offset)
{
    if (number == REGISTER_FP) {
        r->frame.saved_kind = kind;
        set_offset(r, &r->frame.saved, offset);
    } else if (number == REGISTER_RETURN) {
        r->bad |= kind != TLT_SAVED_AT_CFA || offset != -8;
    }
}

/* The expressions that compilers write for functions that realign the stack: the frame pointer plus
 * an offset, for a CFA the word there. */
static bool get_expression(input *in, bool is_cfa, int64_t *offset)
{
    const uint64_t size = get_uleb(in);
    if (in->bad || size > (size_t)(in->end - in->p)) {
        in->bad = true;
        return false;
    }
    input e = {.p = in->p, .end = in->p + size};
    in->p += size;
    bool fits = get_number(&e, 1) == OP_FP;
    *offset = get_sleb(&e);
    if (is_cfa)
        fits = get_number(&e, 1) == OP_DEREF && fits;
    return fits && !e.bad && e.p == e.end;
}

static void restore(program *p, uint64_t number)
{
    if (number != REGISTER_FP)
        return;
    p->now.frame.saved_kind = p->initial.frame.saved_kind;
    p->now.frame.saved = p->initial.frame.saved;
}

/* Instructions on one register, without those that have it in their low bits. */
static void run_on_register(program *p, unsigned code, input *in)
{
    rules *r = &p->now;
    int64_t offset;
    const uint64_t number = get_uleb(in);
    switch (code) {
    case 0x05: save(r, number, TLT_SAVED_AT_CFA, (int64_t)get_uleb(in) * p->data_unit); break;
    case 0x06: restore(p, number); break;
    case 0x07: save(r, number, TLT_SAVED_UNKNOWN, 0); break; /* undefined */
    case 0x08: save(r, number, TLT_SAVED_SAME, 0); break;
    case 0x0c: set_cfa(r, number, (int64_t)get_uleb(in)); break;
    case 0x0d: r->cfa_register = number; break;
    case 0x10: /* expression */
        if (get_expression(in, false, &offset))
            save(r, number, TLT_SAVED_AT_FP, offset);
        else
            save(r, number, TLT_SAVED_UNKNOWN, 0);
        break;
    case 0x11: save(r, number, TLT_SAVED_AT_CFA, get_sleb(in) * p->data_unit); break;
    case 0x12: set_cfa(r, number, get_sleb(in) * p->data_unit); break;
    default: r->bad = in->bad = true; /* register, val_offset, val_expression: not for calls */
    }
}

static void run_other(program *p, unsigned code, input *in)
{
    rules *r = &p->now;
    int64_t offset;
    switch (code) {
    case 0x00: break; /* nop */
    case 0x02: p->pc += get_number(in, 1) * p->code_unit; break;
    case 0x03: p->pc += get_number(in, 2) * p->code_unit; break;
    case 0x04: p->pc += get_number(in, 4) * p->code_unit; break;
    case 0x0a:
        if (p->n_remembered == MAX_REMEMBERED)
            in->bad = true;
        else
            p->remembered[p->n_remembered++] = *r;
        break;
    case 0x0b:
        if (p->n_remembered)
            *r = p->remembered[--p->n_remembered];
        else
            in->bad = true;
        break;
    case 0x0e: set_offset(r, &r->frame.cfa, (int64_t)get_uleb(in)); break;
    case 0x0f:
        r->bad |= !get_expression(in, true, &offset);
        r->is_expression = true;
        set_offset(r, &r->frame.cfa, offset);
        break;
    case 0x13: set_offset(r, &r->frame.cfa, get_sleb(in) * p->data_unit); break;
    case 0x2e: get_uleb(in); break; /* GNU_args_size */
    default: run_on_register(p, code, in);
    }
}

/* The instructions up to the place `pc`. */
static void run(program *p, input *in, uint64_t pc)
{
    while (in->p < in->end && !in->bad && p->pc <= pc) {
        const unsigned code = (unsigned)get_number(in, 1), low = code & 0x3f;
        switch (code >> 6) {
        case 1: p->pc += low * p->code_unit; break;
        case 2: save(&p->now, low, TLT_SAVED_AT_CFA, (int64_t)get_uleb(in) * p->data_unit); break;
        case 3: restore(p, low); break;
        default: run_other(p, code, in);
        }
    }
}

static tlt_frame frame_of(const program *p)
{
    tlt_frame frame = p->now.frame;
    frame.kind = p->now.bad                           ? TLT_FRAME_UNKNOWN
                 : p->now.is_expression               ? TLT_FRAME_AT_FP
                 : p->now.cfa_register == REGISTER_SP ? TLT_FRAME_SP
                 : p->now.cfa_register == REGISTER_FP ? TLT_FRAME_FP
                                                      : TLT_FRAME_UNKNOWN;
    return frame;
}

/* ---- the entries of a table ---- */

/* What an entry for many functions (CIE) says. */
typedef struct common {
    unsigned encoding; /* of addresses */
    bool has_length;   /* of further data, in the entries that refer to it */
    bool is_signal;
    uint64_t code_unit;
    int64_t data_unit;
    input instructions;
} common;

/* An entry without its length, which has 4 bytes. */
static input get_entry(const uint8_t *at)
{
    input in = {.p = at, .end = at + 4};
    const uint64_t length = get_number(&in, 4);
    in.bad = length < 4 || length >= 0xfffffff0;
    in.end = in.bad ? in.p : in.p + length;
    return in;
}

static bool get_augmentation(input *in, const char *text, common *out)
{
    if (*text != 'z')
        return !*text;
    out->has_length = true;
    const uint64_t size = get_uleb(in);
    if (in->bad || size > (size_t)(in->end - in->p))
        return false;
    input data = {.p = in->p, .end = in->p + size};
    in->p += size;
    for (const char *c = text + 1; *c; c++)
        switch (*c) {
        case 'L': get_number(&data, 1); break;
        case 'P': {
            const unsigned encoding = (unsigned)get_number(&data, 1);
            get_pointer(&data, encoding & FORM);
            break;
        }
        case 'R': out->encoding = (unsigned)get_number(&data, 1); break;
        case 'S': out->is_signal = true; break;
        case 'B': break;
        default: return false;
        }
    return !data.bad;
}

static bool get_common(const uint8_t *at, common *out)
{
    input in = get_entry(at);
    *out = (common){.encoding = ABSOLUTE};
    if (get_number(&in, 4) != 0)
        return false;
    const uint64_t version = get_number(&in, 1);
    const char *text = (const char *)in.p;
    const uint8_t *end = in.bad ? NULL : memchr(in.p, 0, (size_t)(in.end - in.p));
    if (!end || (version != 1 && version != 3))
        return false;
    in.p = end + 1;
    out->code_unit = get_uleb(&in);
    out->data_unit = get_sleb(&in);
    const uint64_t return_register = version == 1 ? get_number(&in, 1) : get_uleb(&in);
    if (return_register != REGISTER_RETURN || !get_augmentation(&in, text, out))
        return false;
    out->instructions = in;
    return !in.bad;
}

static tlt_frame read_entry(const uint8_t *at, uint64_t pc)
{
    const tlt_frame unknown = {.kind = TLT_FRAME_UNKNOWN};
    common shared;
    input in = get_entry(at);
    const uint8_t *back = in.p;
    const uint64_t distance = get_number(&in, 4);
    if (in.bad || !distance || !get_common(back - distance, &shared) || shared.is_signal)
        return unknown;
    const uint64_t begin = get_pointer(&in, shared.encoding);
    const uint64_t size = get_pointer(&in, shared.encoding & FORM);
    if (in.bad || pc < begin || pc - begin >= size)
        return unknown;
    if (shared.has_length) {
        const uint64_t skipped = get_uleb(&in);
        if (in.bad || skipped > (size_t)(in.end - in.p))
            return unknown;
        in.p += skipped;
    }
    program p = {.code_unit = shared.code_unit, .data_unit = shared.data_unit};
    run(&p, &shared.instructions, UINT64_MAX);
    p.initial = p.now;
    p.pc = begin;
    run(&p, &in, pc);
    return in.bad || shared.instructions.bad ? unknown : frame_of(&p);
}

/* ---- the table of an object file ---- */

typedef struct search {
    uint64_t pc;
    tlt_frame found;
} search;

/* Binary search in the table of .eh_frame_hdr: pairs of the address of a function and of its entry,
 * from the beginning of the section. */
static tlt_frame find_in_table(const uint8_t *header, size_t size, uint64_t pc)
{
    const tlt_frame unknown = {.kind = TLT_FRAME_UNKNOWN};
    input in = {.p = header, .end = header + size};
    const uint64_t version = get_number(&in, 1), frame_encoding = get_number(&in, 1);
    const uint64_t count_encoding = get_number(&in, 1), table_encoding = get_number(&in, 1);
    get_pointer(&in, (unsigned)frame_encoding);
    const uint64_t n = get_pointer(&in, (unsigned)count_encoding);
    if (in.bad || version != 1 || table_encoding != SORTED_TABLE || !n ||
        n > (size_t)(in.end - in.p) / 8)
        return unknown;
    const int64_t wanted = (int64_t)(pc - (uint64_t)(uintptr_t)header);
    size_t low = 0, high = n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        int32_t begin;
        memcpy(&begin, in.p + 8 * middle, sizeof begin);
        if (begin <= wanted)
            low = middle;
        else
            high = middle;
    }
    int32_t entry;
    memcpy(&entry, in.p + 8 * low + 4, sizeof entry);
    return read_entry(header + entry, pc);
}

static bool is_c_library(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path ? path : "";
    return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) ||
           !strncmp(name, "linux-vdso", 10) || !strncmp(name, "libpthread", 10) ||
           !strncmp(name, "ld-musl", 7);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE

const bool tlt_frames_are_safe = true;

static void find_object(search *s)
{
    struct dl_find_object object;
    if (_dl_find_object((void *)(uintptr_t)s->pc, &object) != 0)
        return;
    const uint8_t *table = object.dlfo_eh_frame;
    s->found.kind = TLT_FRAME_UNKNOWN;
    if (table)
        s->found =
            find_in_table(table, (size_t)((const uint8_t *)object.dlfo_map_end - table), s->pc);
    s->found.in_c_library = is_c_library(object.dlfo_link_map->l_name);
}

#else

const bool tlt_frames_are_safe = false; /* dl_iterate_phdr takes a lock */

static int look_into(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    search *s = argument;
    bool contains = false;
    const ElfW(Phdr) *table = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uint64_t begin = info->dlpi_addr + segment->p_vaddr;
        contains |=
            segment->p_type == PT_LOAD && s->pc >= begin && s->pc - begin < segment->p_memsz;
        if (segment->p_type == PT_GNU_EH_FRAME)
            table = segment;
    }
    if (!contains)
        return 0;
    if (table)
        s->found = find_in_table((const uint8_t *)(info->dlpi_addr + table->p_vaddr),
                                 table->p_memsz, s->pc);
    else
        s->found.kind = TLT_FRAME_UNKNOWN;
    s->found.in_c_library = is_c_library(info->dlpi_name);
    return 1;
}

static void find_object(search *s)
{
    dl_iterate_phdr(look_into, s);
}

#endif

tlt_frame tlt_frame_find(const void *return_address)
{
    /* The byte before the return address belongs to the call instruction; the return address
     * itself may belong to the next function. */
    search s = {.pc = (uint64_t)(uintptr_t)return_address - 1,
                .found = {.kind = TLT_FRAME_OUTSIDE}};
    find_object(&s);
    return s.found;
}

void *tlt_climb_up(tlt_climb *c, tlt_frame frame)
{
    uintptr_t fp = 0, cfa = 0, address;
    if (frame.kind < TLT_FRAME_SP)
        return NULL;
    if ((frame.kind != TLT_FRAME_SP || frame.saved_kind == TLT_SAVED_AT_FP) &&
        !c->read(c, c->fp_at, &fp))
        return NULL;
    if (frame.kind == TLT_FRAME_SP)
        cfa = (uintptr_t)c->stack + (uintptr_t)(intptr_t)frame.cfa;
    else
        cfa = fp + (uintptr_t)(intptr_t)frame.cfa;
    if (frame.kind == TLT_FRAME_AT_FP && !c->read(c, (const char *)cfa, &cfa))
        return NULL;
    if (cfa <= (uintptr_t)c->stack || !c->read(c, (const char *)cfa - sizeof(void *), &address))
        return NULL;
    switch (frame.saved_kind) {
    case TLT_SAVED_SAME: break;
    case TLT_SAVED_AT_CFA: c->fp_at = (const char *)cfa + frame.saved; break;
    case TLT_SAVED_AT_FP: c->fp_at = (const char *)fp + frame.saved; break;
    default: c->fp_at = NULL;
    }
    c->stack = (const char *)cfa;
    return (void *)address;
}

#else

const bool tlt_frames_are_safe = false;

tlt_frame tlt_frame_find(const void *return_address)
{
    (void)return_address;
    return (tlt_frame){.kind = TLT_FRAME_UNKNOWN};
}

void *tlt_climb_up(tlt_climb *c, tlt_frame frame)
{
    (void)c;
    (void)frame;
    return NULL;
}

#endif

__thread tlt_stack_range tlt_own_stack __attribute__((tls_model("initial-exec")));

void tlt_find_own_stack(void)
{
    pthread_attr_t attributes;
    void *begin;
    size_t size;
    if (tlt_own_stack.end || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
        tlt_own_stack.begin = begin;
        tlt_own_stack.end = tlt_own_stack.begin + size;
    }
    pthread_attr_destroy(&attributes);
}
