/* comm_tags.h - what the program comm_tags shares with the library between the tracer and MPI. */
#ifndef COMM_TAGS_H
#define COMM_TAGS_H

extern __thread int comm_tags_own; /* tag of this thread; 0: none */
extern int comm_tags_late;         /* the tag whose call returns last; 0: no order */
extern int comm_tags_recorded;     /* the other call has returned to the program */

#endif
