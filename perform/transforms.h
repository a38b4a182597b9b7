/* transforms.h - the transforms of a trace, by the FFTW of this machine. */
#ifndef PERFORM_TRANSFORMS_H
#define PERFORM_TRANSFORMS_H

#include <timeless.h>

typedef struct perform_transforms perform_transforms;

/* Bytes of each of the two operands of a transform; 0: this machine cannot do it. */
int64_t perform_transform_bytes(const tl_event *kernel);
/* *transforms: NULL at first. Zero: there is no plan, or no memory. */
int perform_transforms_call(perform_transforms **transforms, const tl_event *kernel);
void perform_transforms_free(perform_transforms *transforms);

#endif
