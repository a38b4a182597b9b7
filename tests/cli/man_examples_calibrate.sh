#!/usr/bin/env bash
# The examples of the manual that measure this machine: they need it for themselves (man_examples.sh has the others). It needs MPI.
calibrations=yes
. "$(dirname "${BASH_SOURCE[0]}")/man_examples.sh"
