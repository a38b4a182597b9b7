/* valgrind_tool.c - counts the instructions of each thread of a program under Valgrind.
 *
 * A tool of Valgrind, linked with the static libraries of Debian's package `valgrind`. Valgrind
 * translates the program block by block. This tool adds counting code to each block. */
#include <pub_tool_basics.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include <stddef.h>
#include <stdint.h>

#include "exact.h"
#include "string_instruction.h"
#include "valgrind_request.h"

static tlt_exact_table table;
static tlt_exact_slot *current = &table.slots[0]; /* of the thread that runs */

/* ---- code added to the program's ---- */

static IRExpr *constant(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign(IRSB *out, IRExpr *value)
{
    IRTemp t = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out, IRStmt_WrTmp(t, value));
    return IRExpr_RdTmp(t);
}

static IRExpr *load(IRSB *out, IRExpr *address)
{
    return assign(out, IRExpr_Load(Iend_LE, Ity_I64, address));
}

static IRExpr *add(IRSB *out, IRExpr *a, IRExpr *b)
{
    return assign(out, IRExpr_Binop(Iop_Add64, a, b));
}

static IRExpr *address_of_field(IRSB *out, size_t offset)
{
    return add(out, load(out, constant((Addr)&current)), constant(offset));
}

static void add_count(IRSB *out, IRExpr *increment)
{
    IRExpr *address = address_of_field(out, offsetof(tlt_exact_slot, count));
    IRExpr *sum = add(out, load(out, address), increment);
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, address, sum));
}

static void set_repeating(IRSB *out, ULong value)
{
    IRExpr *address = address_of_field(out, offsetof(tlt_exact_slot, repeating));
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, address, constant(value)));
}

/* Counts before the block can be left, and before a string instruction. */
static void count_pending(IRSB *out, Int *n_pending)
{
    if (*n_pending == 0)
        return;
    add_count(out, constant((ULong)*n_pending));
    set_repeating(out, 0);
    *n_pending = 0;
}

/* Every iteration returns to the instruction, but only the first one counts. */
static void count_string_instruction(IRSB *out, Addr address)
{
    IRExpr *field = address_of_field(out, offsetof(tlt_exact_slot, repeating));
    IRTemp first = newIRTemp(out->tyenv, Ity_I1);
    IRExpr *differs = IRExpr_Binop(Iop_CmpNE64, load(out, field), constant(address));
    addStmtToIRSB(out, IRStmt_WrTmp(first, differs));
    add_count(out, assign(out, IRExpr_Unop(Iop_1Uto64, IRExpr_RdTmp(first))));
    set_repeating(out, address);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
                        IRType host_word)
{
    (void)closure, (void)layout, (void)extents, (void)arch, (void)guest_word, (void)host_word;
    IRSB *out = deepCopyIRSBExceptStmts(in);
    Int n_pending = 0;
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *s = in->stmts[i];
        if (s->tag == Ist_Exit)
            count_pending(out, &n_pending);
        addStmtToIRSB(out, s);
        if (s->tag != Ist_IMark)
            continue;
        Addr address = s->Ist.IMark.addr;
        if (tlt_is_repeated_string((const uint8_t *)address, s->Ist.IMark.len)) {
            count_pending(out, &n_pending);
            count_string_instruction(out, address);
        } else {
            n_pending++;
        }
    }
    count_pending(out, &n_pending);
    return out;
}

/* ---- threads and the question ---- */

static void begin_thread(ThreadId creator, ThreadId thread)
{
    tlt_exact_begin(&table, thread, creator == VG_INVALID_THREADID ? -1 : (int64_t)creator);
}

static void run_thread(ThreadId thread, ULong n_blocks)
{
    (void)n_blocks;
    current = &table.slots[thread];
}

static Bool answer(ThreadId thread, UWord *request, UWord *result)
{
    tlt_exact_ask *ask = (tlt_exact_ask *)request[1];
    if (request[0] != TLT_VALGRIND_ASK || ask->magic != TLT_EXACT_MAGIC)
        return False;
    tlt_exact_answer(&table, thread, ask);
    *result = 1;
    return True;
}

static void after_options(void)
{
}

static void finish(Int exit_code)
{
    (void)exit_code;
}

static void before_options(void)
{
    VG_(details_name)("timeless");
    VG_(details_version)(NULL);
    VG_(details_description)("counts instructions for timeless record");
    VG_(details_copyright_author)("part of Timeless");
    VG_(details_bug_reports_to)("the authors of Timeless");
    VG_(details_avg_translation_sizeB)(300);
    VG_(basic_tool_funcs)(after_options, instrument, finish);
    VG_(needs_client_requests)(answer);
    VG_(track_pre_thread_ll_create)(begin_thread);
    VG_(track_start_client_code)(run_thread);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
