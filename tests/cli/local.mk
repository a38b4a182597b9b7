# tests/cli: the commands as a user types them.
CLI_TESTS = \
	tests/cli/address_space.sh \
	tests/cli/alike.sh \
	tests/cli/sample.sh \
	tests/cli/schedules.sh tests/cli/schedules_refused.transcript \
	tests/cli/skeleton.sh tests/cli/skeleton_refused.transcript \
	tests/cli/fit.sh tests/cli/fit_refused.transcript tests/cli/fit_comms.sh tests/cli/fit_draw.sh tests/cli/fit_late.sh tests/cli/fit_expressions.sh \
	tests/cli/samples.sh \
	tests/cli/archive.sh \
	tests/cli/bad_input.sh \
	tests/cli/calibrate.sh tests/cli/calibrate_refused.transcript \
	tests/cli/calibrations.sh \
	tests/cli/calibrate_hosts.sh tests/cli/calibrate_network.sh tests/cli/calibrate_nodes.sh \
	tests/cli/comm_tags.sh tests/cli/comparable.sh tests/cli/comparable_output.transcript \
	tests/cli/algorithms.sh tests/cli/study.sh tests/cli/scaling.sh tests/cli/scaling_refused.transcript tests/cli/studies_a.sh tests/cli/studies_refused.transcript \
	tests/cli/compare.sh tests/cli/compare_output.transcript \
	tests/cli/completion.sh \
	tests/cli/hpl.sh \
	tests/cli/dahu_table.sh \
	tests/cli/jobs.sh \
	tests/cli/index.sh tests/cli/join.sh \
	tests/cli/loggops_nodes.sh \
	tests/cli/node_memory.sh \
	tests/cli/make.sh tests/cli/make_refused.transcript tests/cli/measure.sh tests/cli/model_refused.transcript \
	tests/cli/message_order.sh tests/cli/network_noise.sh tests/cli/ompi_making.sh \
	tests/cli/man_examples.sh \
	tests/cli/man_examples_calibrate.sh \
	tests/cli/module.sh \
	tests/cli/deadlock.transcript \
	tests/cli/pictures.sh tests/cli/adapter_order.sh tests/cli/turns.sh tests/cli/limiter.sh tests/cli/eager_order.sh tests/cli/energy.sh tests/cli/energy_cores.sh \
	tests/cli/send_buffer.sh \
	tests/cli/exchange.sh tests/cli/exchange_refused.transcript tests/cli/goal_comms.sh tests/cli/goal_streams.sh \
	tests/cli/factors.sh tests/cli/flame.sh \
	tests/cli/plain_platform.sh \
	tests/cli/ci_gate.sh \
	tests/cli/frames.sh \
	tests/cli/r.sh \
	tests/cli/habits.transcript \
	tests/cli/simgrid_comms.sh tests/cli/simgrid_text.sh \
	tests/cli/extrapolate.sh \
	tests/cli/extrapolate_volumes.sh \
	tests/cli/hostile_events.sh tests/cli/hostile_events_output.transcript \
	tests/cli/hostile_replay.sh \
	tests/cli/import.transcript \
	tests/cli/lab.sh \
	tests/cli/laws.sh \
	tests/cli/statistical.sh \
	tests/cli/in_place.sh \
	tests/cli/info.transcript tests/cli/info_ranks.sh \
	tests/cli/installed.sh \
	tests/cli/options.sh \
	tests/cli/otf2.sh \
	tests/cli/platform.sh tests/cli/platform_refused.transcript \
	tests/cli/readme.sh \
	tests/cli/replay.sh \
	tests/cli/replay_outcomes.sh \
	tests/cli/rank_threads.sh \
	tests/cli/retransmission.sh tests/cli/rendezvous_progress.sh \
	tests/cli/studies_b.sh \
	tests/cli/replay_calls.sh \
	tests/cli/timeline.sh \
	tests/cli/numbers.sh tests/cli/report.sh tests/cli/versus.sh \
	tests/cli/trace.sh \
	tests/cli/calibrate_cpu.sh \
	tests/cli/calibrate_for.sh \
	tests/cli/calibrate_memory.sh tests/cli/interference.sh \
	tests/cli/calibrate_noise.sh \
	tests/cli/progress.sh \
	tests/cli/safe_text.sh \
	tests/cli/secrets.sh \
	tests/cli/seeds.sh \
	tests/cli/simgrid_programs.sh \
	tests/cli/standard_output.sh \
	tests/cli/sweep.sh tests/cli/sweep_refused.transcript \
	tests/cli/sweep_results.sh \
	tests/cli/budget.sh tests/cli/budget_output.transcript tests/cli/budget_extrapolation.sh tests/cli/budget_recordings.sh tests/cli/budget_versus.sh tests/cli/tolerance.sh \
	tests/cli/two_engines.sh tests/cli/mpich_messages.sh tests/cli/engines_random.sh tests/cli/engines_wider.sh tests/cli/tools_random.sh \
	tests/cli/undump.transcript \
	tests/cli/usage.sh \
	tests/cli/waits.sh tests/cli/receive_overheads.sh tests/cli/loggops_details.sh \
	tests/cli/what_if.sh tests/cli/what_if_refused.transcript tests/cli/without_mpi.sh
TESTS += $(CLI_TESTS)
# To install a library, libtool links it again in the build folder; meanwhile no other test can load it.
tests/cli/installed.log: $(TEST_LOGS:tests/cli/installed.log=)
EXTRA_DIST += $(CLI_TESTS) tests/cli/laws_trace.py tests/cli/node_memory.py tests/cli/goal_order.py tests/cli/goal_graphs.py tests/cli/numbers.c tests/cli/numbers_read.py tests/cli/skeleton_texts.py tests/cli/calibrate_paths.sh tests/cli/known_network.sh tests/cli/messages.sh tests/cli/flip_bits.py tests/cli/dumpi_write.py tests/cli/report_read.py tests/cli/versus_read.py tests/cli/timeline_read.py tests/cli/paraver_read.py \
	tests/cli/simgrid_program.py tests/cli/hinder_simgrid.c tests/cli/count_activities.c tests/cli/otf2_write.c tests/cli/waits_cases.py tests/cli/engines_random.py tests/cli/engines_wider.py tests/cli/engines_windows.py tests/cli/tools_random.py tests/cli/tools_trace.py tests/cli/loggops_details.py tests/cli/like.sh tests/cli/join.transcript tests/cli/replay_outcomes.c
