/* ---- about ---- */

byId("command").textContent = prediction.command || prediction.trace;
byId("makespan").textContent = seconds(prediction.makespan_s) + " on " + count(prediction.n_ranks) +
    " ranks, platform " + prediction.platform;
const about = { "makespan_s": prediction.makespan_s, "trace": prediction.trace,
    "trace hash": prediction.trace_hash, "platform": prediction.platform,
    "platform hash": prediction.platform_hash, "compute model": prediction.model,
    "model hash": prediction.model_hash, "engine": prediction.engine + ", " + prediction.engine_version,
    "network model": prediction.network_model, "collective selector": prediction.coll_selector,
    "changes of the platform": prediction.changes, "further options": prediction.options,
    "events": count(prediction.n_events), "states": count(line.n_states),
    "calls not modelled": count(prediction.n_opaque), "timeless": prediction.timeless };
for (const [key, value] of Object.entries(about)) {
    if (value === "" || value === "0000000000000000") continue;
    const row = document.createElement("tr");
    row.append(element("th", key), element("td", value));
    byId("about").append(row);
}

/* ---- breakdown ---- */

const PARTS = { compute: r => r.compute_s - r.kernel_s, kernel: r => r.kernel_s, send: r => r.p2p_s,
    wait: r => r.wait_s, collective: r => r.collective_s, io: r => r.io_s };
const TITLES = { compute: "compute", kernel: "kernels", send: "point to point", wait: "wait",
    collective: "collectives", io: "I/O" };
/* Many ranks share a bar, which is their mean. */
const group = Math.ceil(prediction.n_ranks / 128);
const groups = [];
const both = prediction.ranks.map((r, i) => [r, details.ranks[i]]);
for (let r = 0; r < prediction.n_ranks; r += group) groups.push(both.slice(r, r + group));
/* In calls: waiting for another rank, and the rest. */
const waited = w => Object.keys(WAITS).reduce((sum, key) => sum + w[key], 0);
const BARS = [["compute", COLOURS.compute, r => r.compute_s - r.kernel_s], ["kernels", COLOURS.kernel, r => r.kernel_s],
    ["messages, collectives, files", COLOURS.other, (r, w) =>
        r.p2p_s + r.wait_s + r.collective_s + r.io_s - waited(w)]].concat(
    Object.entries(WAITS).map(([key, [label, colour]]) => [label, colour, (r, w) => w[key]]));
Chart.defaults.animation = false;
byId("bars-box").style.height = Math.min(1600, 90 + 16 * groups.length) + "px";
new Chart(byId("bars"), {
    type: "bar",
    data: {
        labels: groups.map((g, i) => group === 1 ? "rank " + i : "ranks " + i * group + " to " + (i * group + g.length - 1)),
        datasets: BARS.map(([label, backgroundColor, of]) => ({ label, backgroundColor,
            data: groups.map(g => g.reduce((sum, [r, w]) => sum + of(r, w), 0) / g.length) })) },
    options: { indexAxis: "y", maintainAspectRatio: false,
        scales: { x: { stacked: true, title: { display: true, text: "seconds" } }, y: { stacked: true } } }
});
byId("totals").textContent = "All ranks: " + Object.keys(PARTS).map(key =>
    TITLES[key] + " " + share(prediction.ranks.reduce((sum, r) => sum + PARTS[key](r), 0))).join(", ");

byId("waits").textContent = "Waiting for other ranks, as a part of that: " + Object.keys(WAITS).map(key =>
    WAITS[key][0] + " " + share(details.ranks.reduce((sum, w) => sum + w[key], 0))).join(", ");

/* ---- critical path, other machines, links ---- */

const path = details.critical_path, ofPath = s => (100 * s / (path.length_s || 1)).toFixed(1) + " %";
byId("path").textContent = "From the end back to what it waited for: " + Object.entries(path.parts).filter(p => p[1] > 0)
    .map(([key, s]) => key.slice(0, -2) + " " + ofPath(s)).join(", ") + "; " + count(path.jumps) + " jumps between ranks" +
    (line.path.left_out_s ? "; shown without stays below " + seconds(line.path.left_out_s) : "");
table("path-sites", ["", "time on the path", "share"], path.sites.slice(0, 200).map(s => [s.name, seconds(s.time_s), ofPath(s.time_s)]));
const machines = { ideal_network: "an ideal network", balance: "computation in balance", cpu_2x: "hosts twice as fast" };
table("what-if", ["makespan with", "at least", "about"], Object.entries(machines).map(([key, name]) =>
    [name, seconds(details.what_if[key].at_least_s), "about_s" in details.what_if[key] ? seconds(details.what_if[key].about_s) : ""]));
table("links", ["", "bytes", "mean use", "saturated"], (prediction.links || []).slice(0, 50).map(l =>
    [l.name, count(Math.round(l.bytes)), (100 * l.mean_use).toFixed(1) + " %", seconds(l.saturated_s)]));

/* ---- messages ---- */

const matrix = byId("matrix");
const cells = Math.min(prediction.n_ranks, 512), cell = Math.max(1, Math.min(40, Math.floor(512 / cells)));
const ranksPerCell = Math.ceil(prediction.n_ranks / cells);
function drawMatrix() {
    const unit = document.querySelector("input[name=unit]:checked").value;
    const sums = new Float64Array(cells * cells), ink = matrix.getContext("2d");
    for (const t of details.traffic)
        sums[Math.floor(t.from / ranksPerCell) * cells + Math.floor(t.to / ranksPerCell)] += t[unit];
    const most = sums.reduce((a, b) => Math.max(a, b), 1);
    matrix.width = matrix.height = cells * cell + 2;
    ink.strokeStyle = "#ccc";
    ink.strokeRect(0, 0, matrix.width, matrix.height);
    for (let i = 0; i < sums.length; i++) {
        if (!sums[i]) continue;
        ink.fillStyle = "hsl(220, 60%, " + (92 - 70 * Math.log1p(sums[i]) / Math.log1p(most)) + "%)";
        ink.fillRect(1 + (i % cells) * cell, 1 + Math.floor(i / cells) * cell, cell, cell);
    }
    matrix.onpointermove = event => {
        const x = Math.floor((event.offsetX - 1) / cell), y = Math.floor((event.offsetY - 1) / cell);
        byId("cell").textContent = x < 0 || y < 0 || x >= cells || y >= cells ? "\u00a0" :
            "rank " + y * ranksPerCell + (ranksPerCell > 1 ? " and next" : "") + " to rank " + x * ranksPerCell +
            (ranksPerCell > 1 ? " and next" : "") + ": " + count(sums[y * cells + x]) + " " + unit;
    };
}
document.querySelectorAll("input[name=unit]").forEach(input => { input.onchange = drawMatrix; });
byId("traffic").textContent = count(details.traffic.reduce((sum, t) => sum + t.messages, 0)) + " messages, " +
    count(details.traffic.reduce((sum, t) => sum + t.bytes, 0)) + " bytes";
drawMatrix();
new Chart(byId("sizes"), {
    type: "bar",
    data: { labels: details.message_sizes.map(s => s.from_bytes === s.to_bytes ? count(s.from_bytes) + " B" :
                count(s.from_bytes) + " to " + count(s.to_bytes) + " B"),
            datasets: [{ label: "messages", backgroundColor: COLOURS.collective,
                         data: details.message_sizes.map(s => s.messages) }] },
    options: { maintainAspectRatio: false, plugins: { legend: { display: false } },
               scales: { y: { title: { display: true, text: "messages" } } } }
});

/* ---- tables ---- */

const orEmpty = s => s ? seconds(s) : "";
for (const id of ["calls", "sites", "communicators", "regions"])
    table(id, ["", "time of all ranks", "share", ...Object.values(WAITS).map(w => w[0]), "number", "bytes"],
        details[id].map(sum => [sum.name, seconds(sum.time_s), share(sum.time_s), ...Object.keys(WAITS).map(key => orEmpty(sum[key])),
            count(sum.count), sum.bytes ? count(sum.bytes) : ""]));
