/* counters.c - performance variables of the MPI library (MPI_T), read at each repetition. */
#include "config.h"

#include "counters.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct variable {
    MPI_T_pvar_handle handle;
    int n_elements;
    bool is_wide;   /* 8 bytes each, else 4 */
    void *elements; /* room to read them */
} variable;

static variable variables[PERFORM_MAX_COUNTERS];
static int n_variables;
static MPI_T_pvar_session session;

/* 0: it is no number that can be read. */
static int allocate(variable *v, int index, int class, int bind, MPI_Datatype type, int continuous)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    if (class == MPI_T_PVAR_CLASS_GENERIC || class == MPI_T_PVAR_CLASS_TIMER ||
        (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM) || type == MPI_DOUBLE ||
        (bytes != 4 && bytes != 8))
        return 0;
    if (MPI_T_pvar_handle_alloc(session, index, bind == MPI_T_BIND_NO_OBJECT ? NULL : &world,
                                &v->handle, &v->n_elements) != MPI_SUCCESS ||
        v->n_elements < 1)
        return 0;
    v->is_wide = bytes == 8;
    v->elements = calloc((size_t)v->n_elements, sizeof(uint64_t));
    if (v->elements && !continuous)
        MPI_T_pvar_start(session, v->handle);
    return v->elements != NULL;
}

static int find(const char *wanted, int n_all)
{
    for (int i = 0; i < n_all && n_variables < PERFORM_MAX_COUNTERS; i++) {
        char name[256], description[256];
        int name_bytes = sizeof name, description_bytes = sizeof description, verbosity, class,
            bind, read_only, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum names;
        if (MPI_T_pvar_get_info(i, name, &name_bytes, &verbosity, &class, &type, &names,
                                description, &description_bytes, &bind, &read_only, &continuous,
                                &atomic) == MPI_SUCCESS &&
            !strcmp(name, wanted))
            return n_variables +=
                   allocate(&variables[n_variables], i, class, bind, type, continuous);
    }
    return n_variables;
}

const char *perform_counters_open(const char *names)
{
    static char copy[PERFORM_COUNTER_NAMES_BYTES];
    char *save = NULL;
    int level, n_all = 0, n = 0;
    snprintf(copy, sizeof copy, "%s", names);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS ||
        MPI_T_pvar_session_create(&session) != MPI_SUCCESS ||
        MPI_T_pvar_get_num(&n_all) != MPI_SUCCESS)
        return names;
    for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save))
        if (strncmp(name, "mpit:", 5) != 0 || find(name + 5, n_all) != ++n)
            return name;
    return NULL;
}

int perform_counters_read(int64_t values[PERFORM_MAX_COUNTERS])
{
    for (int i = 0; i < n_variables; i++) {
        const variable *v = &variables[i];
        values[i] = 0;
        if (MPI_T_pvar_read(session, v->handle, v->elements) == MPI_SUCCESS)
            for (int k = 0; k < v->n_elements; k++)
                values[i] += v->is_wide ? ((const int64_t *)v->elements)[k]
                                        : ((const int32_t *)v->elements)[k];
    }
    return n_variables;
}
