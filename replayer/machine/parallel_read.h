/* parallel_read.h - reads the group `parallel` of a model file. */
#ifndef TLR_PARALLEL_READ_H
#define TLR_PARALLEL_READ_H

#include "replayer.h"
#include "setting.h"

/* root: of the file. Without the group, *p remains as it is. The rows belong to the model, also
 * after an error. */
tl_status tlr_parallel_read(const tlr_reading *in, const config_setting_t *root, tlr_parallel *p);

#endif
