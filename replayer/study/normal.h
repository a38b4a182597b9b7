/* normal.h - uncertainties: half of the interval that 90 % of a normal distribution lie in. */
#ifndef TLR_STUDY_NORMAL_H
#define TLR_STUDY_NORMAL_H

/* That half, in standard deviations: the quantile 0.95 of the standard normal distribution. */
#define TLR_DEVIATIONS_90 1.6448536269514722
/* And in medians of the absolute error, which is its quantile 0.75. */
#define TLR_MEDIANS_90 (TLR_DEVIATIONS_90 / 0.6744897501960817)

#endif
