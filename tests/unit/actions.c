/* actions.c - the columns of actions.def: each action has a row, and the rows of mpi_calls.def
 * agree with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <actions.h>

enum { N_ACTIONS = TL_ACTION_ENTER + 1 };

static void has_a_row_for_each_action(void **state)
{
    (void)state;
    assert_int_equal(sizeof tl_meanings / sizeof *tl_meanings, N_ACTIONS);
    for (int action = 0; action < N_ACTIONS; action++)
        if (!tl_meanings[action].kind)
            fail_msg("action %d has no row in actions.def", action);
}

#define EXPECT(condition, row)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: %s does not hold", (row)->name, #condition);                             \
    } while (0)

static int has(const tl_call_info *row, uint32_t slots)
{
    return (row->slots & slots) == slots;
}

static int has_elements(int size)
{
    return size == TL_SIZE_WHOLE || size == TL_SIZE_EACH;
}

static void check_call(const tl_call_info *row)
{
    const tl_meaning *m = tl_meaning_of(row->action);
    EXPECT(has(row, TL_SLOT_COMM), row);
    EXPECT(has(row, TL_SLOT_REQUEST) == tl_is_nonblocking(row->action), row);
    EXPECT(!(row->traits & TL_TRAIT_NB) == !tl_is_nonblocking(row->action), row);
    EXPECT(has(row, TL_SLOT_PEER) == tl_is_rooted(row->action), row);
    EXPECT(has(row, TL_SLOT_LIST) == (tl_is_listed(m->sent) || tl_is_listed(m->received)), row);
    EXPECT(!(row->traits & TL_TRAIT_SIZED) == !has(row, TL_SLOT_LIST), row);
    EXPECT(has(row, TL_SLOT_COUNT) == has_elements(m->sent), row);
    EXPECT(has(row, TL_SLOT_TYPE) == (has_elements(m->sent) || m->sent == TL_SIZE_LIST), row);
    EXPECT(has(row, TL_SLOT_RECV_COUNT) == has_elements(m->received), row);
    EXPECT(has(row, TL_SLOT_RECV_TYPE) ==
               (has_elements(m->received) || m->received == TL_SIZE_LIST),
           row);
    EXPECT(!tl_moves_data(row->action) == (m->from == TL_WHO_NOBODY && m->to == TL_WHO_NOBODY),
           row);
    EXPECT(!(row->traits & TL_TRAIT_SYNC) || m->needs == TL_NEEDS_ALL, row);
    EXPECT(m->kind != TL_KIND_NEIGHBORHOOD || m->needs == TL_NEEDS_NEIGHBOURS, row);
    EXPECT((m->needs == TL_NEEDS_ROOT) == (m->from == TL_WHO_ROOT), row);
    EXPECT((m->needs == TL_NEEDS_ALL_AT_ROOT) == (m->to == TL_WHO_ROOT), row);
}

static void agrees_with_the_rows_of_the_calls(void **state)
{
    (void)state;
    int n = 0;
    for (unsigned code = 0; code < TL_CALL_LIMIT; code++) {
        const tl_call_info *row = tl_call_by_code(code);
        if (!row || !tl_is_collective(row->action))
            continue;
        check_call(row);
        n++;
    }
    assert_in_range(n, 60, 120);
}

static void knows_the_forms_of_a_collective(void **state)
{
    (void)state;
    assert_int_equal(tl_meaning_of(TL_ACTION_IGATHERV)->blocking, TL_ACTION_GATHERV);
    assert_int_equal(tl_meaning_of(TL_ACTION_IGATHERV)->family, TL_ACTION_GATHER);
    assert_true(tl_is_nonblocking(TL_ACTION_INEIGHBOR_ALLTOALLW));
    assert_false(tl_is_nonblocking(TL_ACTION_NEIGHBOR_ALLTOALLW));
    assert_false(tl_is_nonblocking(TL_ACTION_ISEND));
    for (int action = 0; action < N_ACTIONS; action++) {
        const int blocking = tl_meanings[action].blocking;
        assert_int_equal(tl_meanings[blocking].blocking, blocking);
    }
}

/* Ranks 0 to 3, this one is 2. */
static const tl_extent within = {.n_own = 4, .n_to = 4, .n_from = 4, .me = 2};
/* A group of two, with one of three ranks on the other side. */
static const tl_extent between = {.n_own = 2, .n_to = 3, .n_from = 3, .me = 1, .between_groups = 1};

static void counts_the_values_of_lists(void **state)
{
    (void)state;
    static const struct {
        const tl_extent *extent;
        tl_action action;
        tl_role role;
        uint32_t sent, received;
    } cases[] = {
        {&within, TL_ACTION_BCAST, TL_ROLE_ROOT, 0, 0},
        {&within, TL_ACTION_GATHERV, TL_ROLE_ROOT, 0, 4},
        {&within, TL_ACTION_GATHERV, TL_ROLE_OTHER, 0, 0},
        {&within, TL_ACTION_ISCATTERV, TL_ROLE_ROOT, 4, 0},
        {&within, TL_ACTION_ISCATTERV, TL_ROLE_OTHER, 0, 0},
        {&within, TL_ACTION_ALLGATHERV, TL_ROLE_OTHER, 0, 4},
        {&within, TL_ACTION_ALLTOALLW, TL_ROLE_OTHER, 4, 4},
        {&within, TL_ACTION_REDUCE_SCATTER, TL_ROLE_OTHER, 4, 0},
        {&between, TL_ACTION_GATHERV, TL_ROLE_ROOT, 0, 3},
        {&between, TL_ACTION_GATHERV, TL_ROLE_NONE, 0, 0},
        {&between, TL_ACTION_SCATTERV, TL_ROLE_ROOT, 3, 0},
        {&between, TL_ACTION_ALLTOALLV, TL_ROLE_OTHER, 3, 3},
        {&between, TL_ACTION_REDUCE_SCATTER, TL_ROLE_OTHER, 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tl_meaning *m = tl_meaning_of(cases[i].action);
        assert_int_equal(tl_n_sent_counts(m, cases[i].extent, cases[i].role), cases[i].sent);
        assert_int_equal(tl_n_received_counts(m, cases[i].extent, cases[i].role),
                         cases[i].received);
    }
}

static void takes_both_sides(void **state)
{
    (void)state;
    static const int64_t list[] = {5, 6, 7, 8};
    tl_side sent, received;
    tl_event e = {.count = 3, .type_bytes = 8, .recv_count = 6, .recv_type_bytes = 4};

    assert_true(tl_take_sides(&e, tl_meaning_of(TL_ACTION_SCATTER), &within, TL_ROLE_OTHER, &sent,
                              &received));
    assert_int_equal(sent.size, TL_SIZE_NONE);
    assert_int_equal(received.size, TL_SIZE_WHOLE);
    assert_int_equal(received.count, 6);

    e.flags = TL_IN_PLACE; /* of the root: its own block stays where it is */
    assert_true(tl_take_sides(&e, tl_meaning_of(TL_ACTION_SCATTER), &within, TL_ROLE_ROOT, &sent,
                              &received));
    assert_int_equal(sent.size, TL_SIZE_EACH);
    assert_int_equal(received.count, 3);
    assert_int_equal(received.type_bytes, 8);

    e.list = list;
    e.list_len = 4;
    assert_true(tl_take_sides(&e, tl_meaning_of(TL_ACTION_IALLGATHERV), &within, TL_ROLE_OTHER,
                              &sent, &received));
    assert_int_equal(sent.count, 7);
    assert_int_equal(sent.type_bytes, 4);
    assert_int_equal(tl_count_at(&received, 3), 8);

    e.flags = 0;
    assert_true(tl_take_sides(&e, tl_meaning_of(TL_ACTION_REDUCE_SCATTER), &within, TL_ROLE_OTHER,
                              &sent, &received));
    assert_int_equal(tl_count_at(&sent, 1), 6);
    assert_int_equal(received.count, 7);
    assert_int_equal(received.type_bytes, 8);

    assert_false(tl_take_sides(&e, tl_meaning_of(TL_ACTION_ALLTOALLV), &within, TL_ROLE_OTHER,
                               &sent, &received));
    assert_null(sent.list);
}

static void knows_the_parts_of_two_groups(void **state)
{
    (void)state;
    static const struct {
        tl_action action;
        int32_t peer;
        int contributes, gets, fills_sent, fills_received;
    } cases[] = {
        {TL_ACTION_BCAST, TL_ROOT, 1, 0, 1, 0},
        {TL_ACTION_BCAST, TL_PROC_NULL, 0, 0, 0, 0},
        {TL_ACTION_BCAST, 1, 0, 1, 1, 1},
        {TL_ACTION_REDUCE, TL_ROOT, 0, 1, 1, 1},
        {TL_ACTION_REDUCE, TL_PROC_NULL, 0, 0, 0, 0},
        {TL_ACTION_REDUCE, 0, 1, 0, 1, 0},
        {TL_ACTION_GATHER, TL_ROOT, 0, 1, 0, 1},
        {TL_ACTION_GATHER, 2, 1, 0, 1, 0},
        {TL_ACTION_SCATTER, TL_ROOT, 1, 0, 1, 0},
        {TL_ACTION_SCATTER, 2, 0, 1, 0, 1},
        {TL_ACTION_ALLTOALL, 0, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tl_meaning *m = tl_meaning_of(cases[i].action);
        const tl_role role = tl_role_between(cases[i].peer);
        assert_int_equal(tl_contributes(m, 1, role), cases[i].contributes);
        assert_int_equal(tl_gets_data(m, 1, role), cases[i].gets);
        assert_int_equal(tl_fills_sent(m, 1, role), cases[i].fills_sent);
        assert_int_equal(tl_fills_received(m, 1, role), cases[i].fills_received);
    }
    assert_false(tl_is_known_between_groups(TL_ACTION_ISCAN));
    assert_false(tl_is_known_between_groups(TL_ACTION_REDUCE_SCATTER));
    assert_true(tl_is_known_between_groups(TL_ACTION_REDUCE_SCATTER_BLOCK));
    assert_true(tl_is_known_between_groups(TL_ACTION_SEND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_a_row_for_each_action),
        cmocka_unit_test(agrees_with_the_rows_of_the_calls),
        cmocka_unit_test(knows_the_forms_of_a_collective),
        cmocka_unit_test(counts_the_values_of_lists),
        cmocka_unit_test(takes_both_sides),
        cmocka_unit_test(knows_the_parts_of_two_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
