/* scan.h - one pass over the chunks of a file. */
#ifndef TL_SCAN_H
#define TL_SCAN_H

#include "reader.h"

/* Checks every chunk and fills parts, frames (in file order), definitions and damages. */
tl_status tl_scan(tl_reader *r, tl_error *err);

#endif
