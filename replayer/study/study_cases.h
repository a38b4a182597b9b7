/* study_cases.h - the cases of a study of collectives, for its tables and its picture. */
#ifndef TLR_STUDY_CASES_H
#define TLR_STUDY_CASES_H

#include "collectives.h"

#include <stdbool.h>

/* All by index on their axes; algorithm 0 is the rule. */
const tlr_point *study_point(const tlr_study *study, size_t ranks, size_t bytes, size_t algorithm);
bool study_has_time(const tlr_point *point);
double study_number(const tlr_study *study, int axis, size_t i);
const char *study_algorithm(const tlr_study *study, size_t algorithm);
/* For tables and pictures: of a file its name without folders, unless another one has it, too. */
const char *study_shown_algorithm(const tlr_study *study, size_t algorithm);

#endif
