# SPDX-FileCopyrightText: 2026 the Timeless authors
# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Where do the bytes and the time go?
# A notebook for a trace of your own: the first argument, or the sample trace of HPL on four ranks.

# %%
import sys

import numpy as np
import timeless

path = sys.argv[1] if len(sys.argv) > 1 else "traces/hpl-4.tl"
trace = timeless.Trace(path)
events = trace.events()
print(f"{trace.program}: {trace.n_ranks} ranks, {events.n_rows} events, volumes in {trace.volume_unit}")

# %% [markdown]
# ## Bytes by call
# The count of a send is in elements of `type_bytes` bytes.

# %%
calls = events.numpy("call")
sent = events.numpy("count") * events.numpy("type_bytes")
for call in sorted(set(calls)):
    mine = calls == call
    if sent[mine].sum():
        print(f"{call:20} {mine.sum():8} calls {sent[mine].sum():14} bytes, median {np.median(sent[mine]):.0f}")

# %% [markdown]
# ## A matrix of the messages
# From rank (row) to rank (column), on MPI_COMM_WORLD.

# %%
is_send = np.isin(calls, ["MPI_Send", "MPI_Isend", "MPI_Sendrecv"]) & (events.numpy("comm") == 1)
is_send &= events.numpy("peer") >= 0
matrix = np.zeros((trace.n_ranks, trace.n_ranks))
np.add.at(matrix, (events.numpy("rank")[is_send], events.numpy("peer")[is_send]), sent[is_send])
print(matrix)

# %% [markdown]
# ## A prediction: who waits?

# %%
prediction = trace.replay(platform="star-1g", timeline=True, options=["--ranks-per-host", "1"])
waits = prediction.ranks.numpy("wait_s") + prediction.ranks.numpy("collective_s")
print(f"{prediction.makespan_s:.4g} s; waiting and in collectives: {waits.min():.3g} to {waits.max():.3g} s")

# %% [markdown]
# ## The timeline, second by second
# The share of each state in 20 parts of the run; `save_npz` keeps the columns for another day.

# %%
states = prediction.timeline
kinds = states.numpy("state")
begin, end = states.numpy("begin_s"), states.numpy("end_s")
edges = np.linspace(0, prediction.makespan_s, 21)
for kind in sorted(set(kinds)):
    mine = kinds == kind
    inside = np.clip(np.minimum.outer(end[mine], edges[1:]) - np.maximum.outer(begin[mine], edges[:-1]), 0, None)
    print(f"{kind:12}", " ".join(f"{100 * share:3.0f}" for share in inside.sum(0) / (edges[1] * trace.n_ranks)))
states.save_npz("timeline.npz")
