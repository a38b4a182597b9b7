# tests/bench: programs that print figures; run by hand, not by make check.
EXTRA_DIST += tests/bench/tracer_overhead.sh tests/bench/call_instructions.sh tests/bench/call_cost.c tests/bench/empty_pmpi.c \
	tests/bench/patterns.c tests/bench/plain.c tests/bench/trace_size.sh tests/bench/stencil3d_text.py tests/bench/README.md tests/bench/codec.c tests/bench/codec.sh \
	tests/bench/kernel_cost.sh tests/bench/kernel_cost.c tests/bench/region_cost.sh tests/bench/region_cost.c
EXTRA_DIST += tests/bench/run_overhead.sh tests/bench/stencil.c \
	tests/bench/finalize_cost.sh tests/bench/many_events.c
EXTRA_DIST += tests/bench/hpl_events.sh tests/bench/hpl_events.c tests/bench/loggops.sh tests/bench/links.sh tests/bench/goal_speed.sh tests/bench/goal_schedules.py tests/bench/noise_factors.sh tests/bench/replay_speed.sh tests/bench/hpl_messages.py tests/bench/volume_precision.sh tests/bench/statistical_volumes.sh tests/bench/long_run.sh tests/bench/long_run.c
EXTRA_DIST += tests/bench/volume_sources.sh tests/bench/volume_sources.c
