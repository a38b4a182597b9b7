
/* ---- several predictions ---- */

const versus = data.versus, sides = versus.predictions, scale = versus.scale;
const unit = scale.unit.replace("us", "µs"), letters = sides.map(s => s.letter);
const others = letters.slice(1), makespans = sides.map(s => s.makespan_s);
const hasDetails = versus.has_details;

byId("command").textContent = sides[0].command || sides[0].trace;
document.title = byId("command").textContent + ": " + sides.map(s => s.name).join(" versus ");
/* Of the job, if the platform states watts and if a price was given. */
const extra = (title, of) => sides.some(s => of(s) !== undefined) ? [{ title, of }] : [];
const extras = [...extra("energy of the job, J", s => s.energy && s.energy.job_j), ...extra("cost", s => s.cost && s.cost.total)];
const extraCell = (s, of) => of(s) === undefined ? "" :
    { text: (s.energy.at_least ? "at least " : "") + four(of(s)), title: String(of(s)) };
table("makespans", ["", "makespan", ...extras.map(e => e.title), ""], sides.map((s, i) => {
    const ratio = makespans[0] / makespans[i];
    return [s.letter + ": " + s.name, exact(s.makespan_s, seconds), ...extras.map(e => extraCell(s, e.of)),
            !i ? sides[0].n_ranks + " ranks" : !(ratio > 0 && isFinite(ratio)) ? "" : four(ratio) === "1" ? "as fast as A" : ratio >= 1 ? four(ratio) + " times as fast as A" : "takes " + four(1 / ratio) + " times as long as A"];
}));

/* ---- timelines on one scale of time ---- */

const busyOf = i => versus.ranks.map(r => r.busy_s[i]);
const panels = data.timelines.map((line, i) => ({ title: letters[i] + ": " + sides[i].name, line, busy: busyOf(i) })).filter(p => p.line);
if (panels.length)
    timelines(byId("timelines"), panels, Math.max(...makespans));
else
    byId("timelines").append(element("p", "These predictions were read from JSON, which contains no timelines. " +
        "To see them, give the trace and a --platform for each prediction.", "hint"));

/* ---- tables: multiples of a quantum, which add up ---- */

const shownText = n => (n * 10 ** -scale.decimals).toFixed(scale.decimals);
const differenceText = n => (n > 0 ? "+" : "") + shownText(n);
function differences(id, rows) {
    const head = [unit, ...letters, ...others.map(l => l + " − A")];
    if (!rows) { byId(id).textContent = hasDetails ? "none" : "unknown: not all of these predictions have details"; return; }
    table(id, head, withPaths(rows.filter(row => row.shown.some(n => n) || (row.seconds && row.seconds.some(s => s))), (row, name) => [name,
        ...row.shown.map((n, i) => ({ text: shownText(n), title: row.seconds && row.seconds[i] + " s" })),
        ...others.map((_, i) => ({ text: differenceText(row.shown[i + 1] - row.shown[0]), title: row.seconds && row.difference_s[i + 1] + " s" }))]), 500);
}
for (const [id, rows] of [["path-parts", versus.critical_path.parts], ["path-regions", versus.critical_path.regions],
    ["path-sites", versus.critical_path.sites], ["path-ranks", versus.critical_path.ranks], ["mean-parts", versus.mean_rank.parts],
    ["mean-regions", versus.mean_rank.regions], ["mean-calls", versus.mean_rank.calls], ["mean-sites", versus.mean_rank.sites]])
    differences(id, rows);

const exactly = rows => (rows || []).filter(row => row.seconds); /* without the row of rounding */
const pathParts = exactly(versus.critical_path.parts), meanParts = exactly(versus.mean_rank.parts);
const barsOf = i => [...(pathParts.length ? [[pathParts, i]] : []), [meanParts, i]];
const bars = sides.flatMap((_, i) => barsOf(i));
stackedBars(byId("parts-box"), byId("parts"),
    bars.map(([parts, i]) => letters[i] + (parts === pathParts ? ", critical path" : ", mean of the ranks")),
    [...new Set([...meanParts, ...pathParts].map(row => row.name))].map(name => [idOf(name),
        bars.map(([parts, i]) => Math.max(0, (parts.find(row => row.name === name) || { seconds: [] }).seconds[i] || 0))]));

/* ---- ranks ---- */

byId("ranks-note").textContent = hasDetails ? "How long a rank neither waits for other ranks nor has ended." :
    "How long a rank computes.";
const picks = new Map();
sides.forEach((_, i) => {
    for (const [what, rank] of chosenRanks(busyOf(i), 16))
        picks.set(rank, [...(picks.get(rank) || []), ...(what ? [what + " in " + letters[i]] : [])]);
});
table("ranks", ["", ...letters, ...others.map(l => l + " − A")], [...picks].map(([rank, whats]) => {
    const times = versus.ranks[rank].busy_s;
    return ["rank " + rank + (whats.length ? ": " + whats.join(", ") : ""), ...times.map(s => exact(s, seconds)),
            ...times.slice(1).map(s => exact(s - times[0], seconds))];
}));
if (versus.ranks.length > 16) busyStrip(byId("strip"), sides.map((s, i) => ({ title: s.letter, busy: busyOf(i) })));
else byId("strip").remove();

/* ---- provenance ---- */

for (const side of sides) {
    const list = document.createElement("table");
    for (const [key, value] of Object.entries(side)) {
        if (value === "" || typeof value === "object" || value === "0000000000000000") continue;
        const row = document.createElement("tr");
        row.append(element("th", key), element("td", value));
        list.append(row);
    }
    byId("about").append(element("h3", side.letter + ": " + side.name), list);
}
