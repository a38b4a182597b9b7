/* kernels.c - routines of BLAS and LAPACK that return at once. */
#include "config.h"

#include "skip/skip.h"

#include <stdint.h>
#include <string.h>

#include "kernel_groups.h"

/* ---- what takes the place of a routine: it writes what the caller relies on, and no number ----
 */

static intptr_t skip_all(void)
{
    return 0;
}

/* The rows stay where they are. */
static void keep_rows(int m, int n, int *pivots)
{
    for (int i = 0; i < m && i < n; i++)
        pivots[i] = i + 1;
}

static intptr_t skip_getrf(const int *m, const int *n, void *a, const int *lda, int *pivots,
                           int *info)
{
    (void)a;
    (void)lda;
    keep_rows(*m, *n, pivots);
    *info = 0;
    return 0;
}

static intptr_t skip_getrs(const char *trans, const int *n, const int *nrhs, const void *a,
                           const int *lda, const int *pivots, void *b, const int *ldb, int *info)
{
    (void)trans;
    (void)n;
    (void)nrhs;
    (void)a;
    (void)lda;
    (void)pivots;
    (void)b;
    (void)ldb;
    *info = 0;
    return 0;
}

static intptr_t skip_potrf(const char *uplo, const int *n, void *a, const int *lda, int *info)
{
    (void)uplo;
    (void)n;
    (void)a;
    (void)lda;
    *info = 0;
    return 0;
}

/* LAPACKE returns the error code. */
static intptr_t skip_lapacke_getrf(int layout, int m, int n, void *a, int lda, int *pivots)
{
    (void)layout;
    (void)a;
    (void)lda;
    keep_rows(m, n, pivots);
    return 0;
}

/* ---- which routines ---- */

/* Whether the list "blas3,dscal" has the word. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at; at += *at == ',') {
        const size_t n = strcspn(at, ",");
        if (n == length && !strncmp(at, word, n))
            return true;
        at += n;
    }
    return false;
}

/* "cblas_dgemm", "dgemm_", "LAPACKE_dgetrf_work" -> "dgemm", "dgetrf" */
static bool routine_of(const char *symbol, bool *is_lapacke, char *routine, size_t size)
{
    static const char cblas[] = "cblas_", lapacke[] = "LAPACKE_";
    const bool is_cblas = !strncmp(symbol, cblas, sizeof cblas - 1);
    *is_lapacke = !strncmp(symbol, lapacke, sizeof lapacke - 1);
    const char *name = symbol + (is_cblas      ? sizeof cblas - 1
                                 : *is_lapacke ? sizeof lapacke - 1
                                               : 0);
    const size_t length = strcspn(name, "_");
    if (length >= size)
        return false;
    memcpy(routine, name, length);
    routine[length] = '\0';
    return true;
}

void *tlt_skipped_kernel(const char *symbol)
{
    char routine[16];
    bool is_lapacke;
    const char *list = tlt_skip_list();
    if (!list || !routine_of(symbol, &is_lapacke, routine, sizeof routine))
        return NULL;
    const tl_kernel_group group = tl_kernel_group_of(routine);
    const char *name = tl_kernel_group_name(group);
    if (group == TL_KERNELS_NONE || !(lists(list, routine) || (name && lists(list, name))))
        return NULL;
    switch (group) {
    case TL_KERNELS_GETRF: return is_lapacke ? (void *)skip_lapacke_getrf : (void *)skip_getrf;
    case TL_KERNELS_GETRS: return is_lapacke ? (void *)skip_all : (void *)skip_getrs;
    case TL_KERNELS_POTRF: return is_lapacke ? (void *)skip_all : (void *)skip_potrf;
    default: return (void *)skip_all;
    }
}
