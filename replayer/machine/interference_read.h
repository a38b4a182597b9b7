/* interference_read.h - reads the group `interference` of a model file. */
#ifndef TLR_INTERFERENCE_READ_H
#define TLR_INTERFERENCE_READ_H

#include "replayer.h"
#include "setting.h"

/* root: of the file. Without the group, *out remains as it is. The classes belong to the model,
 * also after an error. */
tl_status tlr_interference_read(const tlr_reading *in, const config_setting_t *root,
                                tlr_interference *out);

#endif
