/* simgrid_options.h - the options of SimGrid and ours, "key:value", for all engines.
 *
 * They stand in <config> of the XML file, in options.conf and on the command line (--cfg), and take
 * effect in this order. simgrid_options.def has their names. */
#ifndef TLR_SIMGRID_OPTIONS_H
#define TLR_SIMGRID_OPTIONS_H

#include "replayer.h"

#include <stdbool.h>

/* The valid value of an option, by the name that it has in SimGrid 3.32; NULL if it is not set.
 * `platform` may be NULL. */
const char *tlr_option_value(const tlr_platform *platform, const tlr_options *options,
                             const char *name);

/* The same as a number; `other` if it is not set. */
double tlr_option_number(const tlr_platform *platform, const tlr_options *options, const char *name,
                         double other);

/* Whether the value of a yes or no is no. NULL is not. */
bool tlr_option_is_no(const char *value);

/* The name in SimGrid 3.32 of an option "key:value" that another version calls otherwise; NULL: the
 * name is that one, or is unknown. */
const char *tlr_option_renamed(const char *option);

/* Whether the option chooses the algorithms of collectives. */
bool tlr_option_is_choice(const char *option);

/* Whether predictions of the engine "smpi" do not depend on the option. */
bool tlr_option_is_idle(const char *option);

/* Refuses names that no version of SimGrid has, names that are out of date, and values of the wrong
 * kind (TL_ERR_INPUT). With an engine, *idle receives the names
 * of the options that have no effect on a prediction of this engine, separated by blanks: "" if all
 * have one. The caller frees it. */
tl_status tlr_options_check(const tlr_platform *platform, const tlr_options *options,
                            const char *engine, char **idle, tl_error *err);

#endif
