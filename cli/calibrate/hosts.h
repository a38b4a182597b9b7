/* hosts.h - timeless calibrate kernels on several hosts at the same time. */
#ifndef CLI_CALIBRATE_HOSTS_H
#define CLI_CALIBRATE_HOSTS_H

#include "launch.h"

#include <calibrate/calibrate.h>

/* Starts 'timeless calibrate kernels' with these options on each host, and reads what they have
 * measured from files in a folder that is made below `folder` for this time. */
tl_status hosts_measure(const cli_launcher *launcher, char *const *options, const char *folder,
                        tlp_result **out, tl_error *err);
/* Finds the units that are unlike the others. */
tl_status hosts_judge(tlp_result *result, tl_error *err);
/* Gives the measured hosts the names of those of the platform in the folder, if it has one: in
 * order, unless one of them is there with its own name. Prints which hosts are left. */
tl_status hosts_find_names(tlp_result *result, const char *folder, tl_error *err);
void hosts_report(const tlp_result *result);

#endif
