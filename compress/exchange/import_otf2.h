/* import_otf2.h - makes a trace from an OTF2 archive, as Score-P writes it. Not a part of
 * libtimeless, which does not depend on OTF2: the command links it. */
#ifndef TL_IMPORT_OTF2_H
#define TL_IMPORT_OTF2_H

#include "timeless.h"

enum { TL_OTF2_FACTS = 700 };

/* `path` is the anchor file (traces.otf2). options->volume is "wall" or NULL: time between the
 * calls; "none"; or the name of a metric that the archive has. options->rate is the volume for one
 * nanosecond or one count. `facts` receives what the archive lacks and what was assumed; "" if
 * nothing. The trace contains the same text. */
tl_status tl_import_otf2(const char *path, const tl_dumpi_options *options, const char *out_path,
                         char facts[TL_OTF2_FACTS], tl_error *err);

#endif
