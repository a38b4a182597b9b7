
/* ---- one prediction ---- */

const prediction = data.prediction, line = data.timeline, details = prediction.details;
const WAITS = { late_sender_s: "late-sender", late_receiver_s: "late-receiver", collective_wait_s: "collective-wait" };
const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);
const rankSeconds = sum(prediction.ranks, r => r.end_s), share = s => percent(s, rankSeconds);
const waited = w => sum(Object.keys(WAITS), key => w[key]);
/* What a rank does not spend on waiting for other ranks. */
const busy = prediction.ranks.map((r, i) => r.end_s - waited(details.ranks[i]));

byId("command").textContent = prediction.command || prediction.trace;
document.title = byId("command").textContent + ": Timeless report";
byId("makespan").textContent = seconds(prediction.makespan_s) + " on " + prediction.n_ranks +
    " ranks, platform " + prediction.platform.split("/").pop();
byId("makespan").title = prediction.makespan_s + " s";
const view = timelines(byId("timelines"), [{ title: "", line, busy }], prediction.makespan_s);

/* ---- ranks ---- */

const PARTS = [["compute", r => r.compute_s - r.kernel_s], ["kernel", r => r.kernel_s], ["p2p", r => r.p2p_s],
    ["wait", r => r.wait_s], ["collective", r => r.collective_s], ["io", r => r.io_s]];
const otherCalls = r => r.end_s - sum(PARTS, ([, of]) => of(r)); /* a sleep, for example */
byId("totals").textContent = "All ranks: " + [...PARTS, ["other", otherCalls]]
    .map(([id, of]) => NAMES[id] + " " + share(Math.max(0, sum(prediction.ranks, of)))).join(", ");
byId("waits").textContent = "Waiting for other ranks, as a part of that: " + Object.entries(WAITS)
    .map(([key, id]) => NAMES[id] + " " + share(sum(details.ranks, w => w[key]))).join(", ");
const order = byBusy(busy), typical = order[order.length >> 1];
byId("busy").textContent = areAlike(busy) ? "Without waiting for other ranks, all ranks take " + seconds(busy[order[0]]) + "." :
    "Without waiting for other ranks: rank " + order[0] + " is the slowest (" + seconds(busy[order[0]]) +
    "), rank " + typical + " is typical (" + seconds(busy[typical]) + "), rank " + order[order.length - 1] +
    " is the fastest (" + seconds(busy[order[order.length - 1]]) + ").";
const BARS = [...PARTS.slice(0, 2), ["call", (r, w) => r.p2p_s + r.wait_s + r.collective_s + r.io_s - waited(w)],
    ["other", r => otherCalls(r) > 1e-6 * prediction.makespan_s ? otherCalls(r) : 0],
    ...Object.entries(WAITS).map(([key, id]) => [id, (r, w) => w[key]])];
const FEW = 32, chosen = chosenRanks(busy, FEW), n_ranks = prediction.n_ranks;
const bars = chosen.map(([what, rank]) => [(what ? what + ": " : "") + "rank " + rank, of => of(prediction.ranks[rank], details.ranks[rank])]);
if (n_ranks > FEW) {
    bars.push(["mean of all ranks", of => sum(prediction.ranks.map((r, i) => of(r, details.ranks[i])), s => s) / n_ranks]);
    busyStrip(byId("strip"), [{ title: "", busy }]);
    byId("strip-box").append(element("p", "Time without waiting for other ranks, by rank.", "hint"));
} else
    byId("strip-box").remove();
stackedBars(byId("bars-box"), byId("bars"), bars.map(b => b[0]), BARS.map(([id, of]) => [id, bars.map(b => b[1](of))]));

/* ---- critical path, other machines ---- */

const path = details.critical_path, ofPath = s => percent(s, path.length_s);
byId("path").textContent = "From the end back to what it waited for: " + Object.entries(path.parts).filter(p => p[1] > 0)
    .map(([key, s]) => NAMES[key.slice(0, -2)] + " " + ofPath(s)).join(", ") + "; " + count(path.jumps) + (path.jumps === 1 ? " jump" : " jumps") + " between ranks" +
    (line.path.left_out_s ? "; shown without stays below " + seconds(line.path.left_out_s) : "");
table("path-sites", ["", "time on the path", "share"], withPaths(path.sites, (s, name) => [name, exact(s.time_s, seconds), ofPath(s.time_s)]));
const machines = { ideal_network: "an ideal network", balance: "computation in balance", cpu_2x: "hosts twice as fast" };
table("what-if", ["makespan with", "at least", "about"], Object.entries(machines).map(([key, name]) =>
    [name, exact(details.what_if[key].at_least_s, seconds), "about_s" in details.what_if[key] ? exact(details.what_if[key].about_s, seconds) : ""]));
const balance = details.what_if.balance, efficiency = details.efficiency;
if ("phases" in balance)
    byId("phases").textContent = "In balance: each rank computes for the mean of all ranks in each phase between synchronisations (" +
        count(balance.phases) + ").";
if (efficiency)
    byId("efficiency").textContent = "Parallel efficiency " + percent(efficiency.parallel, 1) + " = " +
        ["load_balance", "serialisation", "transfer"].map(key => key.replace("_", " ") + " " + percent(efficiency[key], 1)).join(" × ") +
        " (metrics of POP).";

/* ---- sums ---- */

const orEmpty = (value, format) => value ? exact(value, format) : "";
for (const id of ["calls", "sites", "communicators", "regions"])
    table(id, ["", "time of all ranks", "share", ...Object.values(WAITS).map(id => NAMES[id]), "number", "bytes"],
        withPaths(details[id], (s, name) => [name, exact(s.time_s, seconds), share(s.time_s), ...Object.keys(WAITS).map(key => orEmpty(s[key], seconds)),
            exact(s.count, count), orEmpty(s.bytes, bytes)]));

if (details.functions)
    table("functions", ["", "time of all ranks", "share", "samples"], details.functions.map(f =>
        [f.name, exact(f.time_s, seconds), share(f.time_s), exact(f.samples, count)]));
else
    byId("functions-box").remove();
if (details.parallel_regions)
    table("parallel", ["", "number", "threads", "slowest thread", "balance", "imbalance"], withPaths(details.parallel_regions, (s, name) =>
        [name, exact(s.count, count), exact(s.threads, count), exact(s.slowest_s, seconds), percent(s.balance, 1), exact(s.imbalance_s, seconds)]));
else
    byId("parallel-box").remove();

/* ---- measured times ---- */

const times = prediction.call_times;
/* Both on one scale. */
function measuredBars(rows) {
    const [scale, unit] = unitOf(Math.max(...rows.map(r => Math.max(r.measured_s, r.predicted_s)))), names = shortPaths(rows.map(r => r.name));
    byId("measured-box").style.height = 80 + 36 * rows.length + "px";
    draw(() => new Chart(byId("measured-bars"), {
        type: "bar",
        data: { labels: names.map(n => n.text), datasets: [["measured", "message"], ["predicted", "many"]].map(([what, id]) =>
            ({ label: what, backgroundColor: colour(id), data: rows.map(r => r[what + "_s"] / scale) })) },
        options: { indexAxis: "y", maintainAspectRatio: false,
            plugins: { legend: { labels: { boxWidth: 12 } },
                       tooltip: { callbacks: { label: c => c.dataset.label + ": " + seconds(c.raw * scale) } } },
            scales: { x: { title: { display: true, text: "time of all ranks [" + unit + "]" } }, y: { ticks: { autoSkip: false } } } } }));
}
if (times) {
    if (prediction.clock !== "comparable")
        byId("measured-clock").textContent = "The clock of the recording is not comparable: " + prediction.clock + ". The differences say nothing about the prediction.";
    measuredBars((times.sites.length ? times.sites : times.calls).slice(0, 12));
    for (const id of ["sites", "calls"])
        table("measured-" + id, ["", "measured", "predicted", "difference", "calls", "longest call", "its rank"],
            withPaths(times[id], (r, name) => [name, exact(r.measured_s, seconds), exact(r.predicted_s, seconds),
                exact(r.measured_s - r.predicted_s, seconds), exact(r.calls, count), exact(r.longest_s, seconds), String(r.longest_rank)]));
} else
    byId("measured").remove();

/* ---- messages ---- */

const matrix = byId("matrix");
const ranksPerCell = Math.ceil(n_ranks / 512), cells = Math.ceil(n_ranks / ranksPerCell);
const cell = Math.max(1, Math.min(40, Math.floor(512 / cells))), TOP = 18;
let edge;
function drawMatrix() {
    const unit = document.querySelector("input[name=unit]:checked").value, format = unit === "bytes" ? bytes : n => count(n) + " messages";
    const sums = new Float64Array(cells * cells), side = cells * cell + 2, last = n_ranks - 1, few = colour("few"), many = colour("many");
    for (const t of details.traffic)
        sums[Math.floor(t.from / ranksPerCell) * cells + Math.floor(t.to / ranksPerCell)] += t[unit];
    const most = sums.reduce((a, b) => Math.max(a, b), 0);
    const pen = sharp(matrix, TOP + side);
    edge = Math.ceil(pen.measureText("rank " + last).width) + 8; /* room for the numbers of ranks */
    matrix.style.width = edge + side + "px";
    const ink = sharp(matrix, TOP + side);
    ink.fillStyle = colour("ink");
    for (const rank of cells > 1 ? [0, last] : [0]) {
        ink.textAlign = "right";
        ink.fillText("rank " + rank, edge - 4, rank ? TOP + side - 3 : TOP + Math.min(10, cell));
        ink.textAlign = rank ? "right" : "left";
        ink.fillText("to " + rank, edge + (rank ? side : 0), TOP - 5);
    }
    ink.translate(edge, TOP);
    ink.strokeStyle = colour("line");
    ink.strokeRect(0.5, 0.5, side - 1, side - 1);
    for (let i = 0; i < sums.length; i++) {
        if (!sums[i]) continue;
        const place = [1 + (i % cells) * cell, 1 + Math.floor(i / cells) * cell, cell, cell];
        ink.fillStyle = few;
        ink.fillRect(...place);
        ink.globalAlpha = Math.log1p(sums[i]) / Math.log1p(most);
        ink.fillStyle = many;
        ink.fillRect(...place);
        ink.globalAlpha = 1;
    }
    byId("darkest").textContent = most ? "strongest colour: " + format(most) + ", on a logarithmic scale" : "";
    const name = i => ranksPerCell === 1 ? "rank " + i : "ranks " + i * ranksPerCell + " to " + (Math.min(n_ranks, (i + 1) * ranksPerCell) - 1);
    matrix.onpointermove = event => {
        const x = Math.floor((event.offsetX - edge - 1) / cell), y = Math.floor((event.offsetY - TOP - 1) / cell);
        byId("cell").textContent = x < 0 || y < 0 || x >= cells || y >= cells ? "\u00a0" :
            name(y) + " to " + name(x) + ": " + format(sums[y * cells + x]);
    };
}
const messages = sum(details.traffic, t => t.messages), sent = sum(details.traffic, t => t.bytes);
byId("traffic").textContent = count(messages) + " messages, " + bytes(sent);
byId("traffic").title = messages + " messages, " + sent + " bytes";
if (messages) {
    document.querySelectorAll("input[name=unit]").forEach(input => { input.onchange = drawMatrix; });
    draw(drawMatrix);
} else
    matrix.remove();

/* From one power of two to the next, also those without messages; 0 bytes have a bar of their own. */
const sizes = new Map(details.message_sizes.map(s => [s.from_bytes, s])), steps = [];
if (sizes.size) {
    const froms = [...sizes.keys()];
    if (sizes.has(0)) steps.push(0);
    for (let from = Math.min(...froms.filter(f => f)); from <= Math.max(...froms); from *= 2) steps.push(from);
}
/* On an axis of decades, units are decades, too. */
const decade = v => {
    const power = Math.floor(Math.round(1e9 * Math.log10(v)) / 3e9);
    return four(v / 1000 ** power) + " " + ["B", "kB", "MB", "GB", "TB", "PB"][power];
};
function drawSizes(id, key, title, format) {
    const values = steps.map(from => sizes.has(from) ? sizes.get(from)[key] : 0), some = values.filter(v => v);
    const wide = Math.max(...some) > 1000 * Math.min(...some);
    const stepSize = key === "bytes" ? 2 ** Math.ceil(Math.log2(Math.max(...some, 1) / 6)) : undefined;
    draw(() => new Chart(byId(id), {
        type: "bar",
        data: { labels: steps.map(bytes), datasets: [{ label: title, backgroundColor: colour("message"), data: values }] },
        options: { maintainAspectRatio: false,
            plugins: { legend: { display: false }, tooltip: { callbacks: {
                title: c => steps[c[0].dataIndex] ? bytes(steps[c[0].dataIndex]) + " to below " + bytes(2 * steps[c[0].dataIndex]) : "0 B",
                label: c => title + ": " + format(c.raw) } } },
            scales: { x: { title: { display: true, text: "size of a message: from this power of two to the next" } },
                      y: { type: wide ? "logarithmic" : "linear", title: { display: true, text: title + (wide ? " (logarithmic)" : "") },
                           ticks: { stepSize, callback: v => !wide || Number.isInteger(Math.round(1e9 * Math.log10(v)) / 1e9) ? (wide && key === "bytes" ? decade(v) : format(v)) : "" } } } } }));
}
if (steps.length) {
    drawSizes("sizes", "messages", "messages", count);
    drawSizes("size-bytes", "bytes", "bytes", bytes);
} else
    document.querySelector(".halves").replaceChildren("none");

/* ---- links, provenance ---- */

table("links", ["", "bytes of messages", "bytes in the network model", "mean use", "saturated"], (prediction.links || []).map(l =>
    [l.name, "sent_bytes" in l ? exact(l.sent_bytes, bytes) : "unknown", exact(l.bytes, bytes), four(100 * l.mean_use) + " %", exact(l.saturated_s, seconds)]), 50);

/* Where hosts and switches are in the picture, in a square of side 1: [x, y] by their numbers. */
function placesOf({ topology, sizes, parents }) {
    const hosts = sizes.reduce((a, b) => a * b, 1), places = [];
    if (topology === "fat-tree") /* by levels, the hosts at the bottom */
        for (let level = 0, n = hosts; level <= sizes.length; n = n / sizes[level] * parents[level++])
            for (let i = 0; i < n; i++) places.push([(i + 0.5) / n, 0.96 - 0.92 * level / sizes.length]);
    else if (topology === "torus") /* a grid; the third dimension sets grids side by side, the fourth one above another */
        for (let i = 0; i < hosts; i++) {
            const at = [0, 0], steps = [1, 1], extents = [1, 1];
            let rest = i;
            sizes.forEach((size, d) => {
                at[d % 2] += rest % size * steps[d % 2];
                extents[d % 2] += (size - 1) * steps[d % 2];
                steps[d % 2] *= size * (d < 2 ? 1.25 : 1);
                rest = Math.floor(rest / size);
            });
            places.push([(at[0] + 0.5) / extents[0], (at[1] + 0.5) / extents[1]]);
        }
    else { /* groups on a circle; in a group, a row for each chassis, and the hosts of a blade below it */
        const [groups, chassis, blades, nodes] = sizes, side = Math.min(0.3, 1.8 / groups), routers = [];
        for (let i = 0; i < groups * chassis * blades; i++) {
            const angle = 2 * Math.PI * Math.floor(i / chassis / blades) / groups, row = Math.floor(i / blades) % chassis;
            routers.push([0.5 + 0.4 * Math.sin(angle) + side * ((i % blades + 0.5) / blades - 0.5),
                0.48 - 0.4 * Math.cos(angle) + side * ((row + 0.5) / chassis - 0.5)]);
        }
        for (let i = 0; i < hosts; i++) {
            const [x, y] = routers[Math.floor(i / nodes)];
            places.push([x + side / blades * 0.8 * ((i % nodes + 0.5) / nodes - 0.5), y + 0.4 * side / chassis]);
        }
        return places.concat(routers);
    }
    return places;
}
function drawMap() {
    const SIDE = data.map.topology === "fat-tree" ? 320 : 620, canvas = byId("map"), pen = sharp(canvas, SIDE), few = colour("few"), many = colour("many");
    const width = data.map.topology === "dragonfly" ? Math.min(SIDE, canvas.clientWidth) : canvas.clientWidth;
    const places = placesOf(data.map).map(([x, y]) => [(0.03 + 0.94 * x) * width, (0.02 + 0.96 * y) * SIDE]), uses = new Map(), busiest = new Float64Array(places.length);
    for (const [from, to, use] of data.map.links) {
        const key = from * places.length + to;
        uses.set(key, Math.max(use, uses.get(key) || 0));
        for (const box of [from, to]) busiest[box] = Math.max(busiest[box], use);
    }
    const lines = [...uses].map(([key, use]) => ({ from: Math.floor(key / places.length), to: key % places.length, use })).sort((a, b) => a.use - b.use);
    const most = lines[lines.length - 1].use || 1;
    /* Twice, as the second colour is laid over the first. */
    const inColours = (use, paint) => [[few, 1], [many, use / most]].forEach(([ink, alpha]) => {
        pen.strokeStyle = pen.fillStyle = ink;
        pen.globalAlpha = alpha;
        paint();
    });
    for (const line of lines) {
        const [[x, y], [u, v]] = [places[line.from], places[line.to]];
        const bend = data.map.topology === "torus" && ![1, data.map.sizes[0]].includes(line.to - line.from) ? 0.1 : 0; /* around the hosts in between */
        line.middle = [(x + u + bend * (v - y)) / 2, (y + v + bend * (x - u)) / 2];
        inColours(line.use, () => {
            pen.lineWidth = 1 + line.use / most;
            pen.beginPath();
            pen.moveTo(x, y);
            pen.quadraticCurveTo((x + u) / 2 + bend * (v - y), (y + v) / 2 + bend * (x - u), u, v);
            pen.stroke();
        });
    }
    const n_hosts = data.map.sizes.reduce((a, b) => a * b, 1), box = Math.max(1, Math.min(4, width / 2 / n_hosts * (data.map.topology === "torus" ? 10 : 1)));
    places.forEach(([x, y], i) => {
        const half = i < n_hosts ? box / 2 : Math.max(box, 3);
        if (busiest[i]) inColours(busiest[i], () => pen.fillRect(x - half, y - half, 2 * half, 2 * half));
    });
    pen.globalAlpha = 1;
    byId("map-scale").textContent = "strongest colour: " + percent(most, 1) +
        (data.map.links.length < prediction.links.length ? "; drawn: " + data.map.links.length + " of " + prediction.links.length + " links" : "");
    const name = box => (box < n_hosts ? "host " + box : "switch " + (box - n_hosts)) + " (at most " + percent(busiest[box], 1) + ")";
    canvas.onpointermove = event => {
        const far = ([x, y]) => Math.hypot(x - event.offsetX, y - event.offsetY);
        const near = lines.reduce((a, b) => far(b.middle) < far(a.middle) ? b : a);
        byId("map-link").textContent = name(near.from) + " to " + name(near.to) + ": " + percent(near.use, 1);
    };
}
if (data.map && data.map.links.length) {
    draw(drawMap);
    window.addEventListener("resize", drawMap);
} else
    byId("map-box").remove();
const about = { "makespan_s": prediction.makespan_s, "trace": prediction.trace,
    "trace hash": prediction.trace_hash, "platform": prediction.platform,
    "platform hash": prediction.platform_hash, "compute model": prediction.model,
    "model hash": prediction.model_hash, "engine": prediction.engine + ", " + prediction.engine_version,
    "network model": prediction.network_model, "collective selector": prediction.coll_selector,
    "changes of the platform": prediction.changes, "further options": prediction.options,
    "blocks with volumes of their own": prediction.volume_sample || "",
    "bursts with volumes of another block": prediction.volume_bursts || "",
    "events": prediction.n_events, "states": line.n_states,
    "calls not modelled": prediction.n_opaque, "timeless": prediction.timeless };
for (const [key, value] of Object.entries(about)) {
    if (value === "" || value === "0000000000000000") continue;
    const row = document.createElement("tr");
    row.append(element("th", key), element("td", value));
    byId("about").append(row);
}
