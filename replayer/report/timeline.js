/* ---- timeline ---- */

/* Numbers in groups of seven bits, the lowest first; see report.c. */
function decode(text) {
    const raw = atob(text);
    const columns = { begin: [], end: [], name: [], site: [], bytes: [], peer: [] };
    let at = 0, now = 0;
    const number = () => {
        let value = 0, scale = 1, byte;
        do {
            byte = raw.charCodeAt(at++);
            value += (byte & 127) * scale;
            scale *= 128;
        } while (byte & 128);
        return value;
    };
    while (at < raw.length) {
        const begin = now + number();
        now = begin + number();
        columns.begin.push(begin * line.tick_s);
        columns.end.push(now * line.tick_s);
        columns.name.push(number());
        columns.site.push(number());
        columns.bytes.push(number());
        columns.peer.push(number() - 1);
    }
    columns.begin = Float64Array.from(columns.begin);
    columns.end = Float64Array.from(columns.end);
    return columns;
}
const rows = line.ranks.map(decode);
const end_s = prediction.makespan_s || 1;
const LEFT = 70, AXIS = 22;
const canvas = byId("timeline"), pen = canvas.getContext("2d");
const view = { from: 0, to: end_s, first: 0, n: Math.min(rows.length, 512) };

function firstEndingAfter(row, t) {
    let low = 0, high = row.end.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (row.end[middle] > t) high = middle; else low = middle + 1;
    }
    return low;
}
/* Each pixel has the colour of the kind that takes most of its time. */
function drawRow(row, y, height, width) {
    const perPixel = (view.to - view.from) / width, kinds = line.kinds.length;
    const sums = new Float64Array(kinds);
    let pixel = -1, colour = -1, start = 0, drawn = 0;
    const paint = x => {
        if (colour >= 0 && x > start) {
            pen.fillStyle = COLOURS[line.kinds[colour]];
            pen.fillRect(LEFT + start, y, x - start, height);
        }
    };
    const finish = x => {
        let best = -1;
        for (let k = 0; k < kinds; k++)
            if (sums[k] > 0 && (best < 0 || sums[k] > sums[best])) best = k;
        sums.fill(0);
        if (best !== colour) { paint(x); colour = best; start = x; }
    };
    for (let i = firstEndingAfter(row, view.from); i < row.begin.length && row.begin[i] < view.to; i++) {
        const kind = line.names[row.name[i]][1];
        const from = Math.max(0, (row.begin[i] - view.from) / perPixel);
        const to = Math.min(width, (row.end[i] - view.from) / perPixel);
        drawn++;
        for (let p = Math.floor(from); p < to; ) {
            if (p !== pixel) { if (pixel >= 0) finish(pixel); pixel = p; }
            const last = Math.floor(to);
            sums[kind] += Math.min(to, p + 1) - Math.max(from, p);
            if (last > p + 2) {  /* the inside of a long state */
                finish(p);
                pixel = last - 1;
                sums[kind] = 1;
                if (colour !== kind) { paint(p + 1); colour = kind; start = p + 1; }
                p = last;
            } else
                p++;
        }
    }
    if (pixel >= 0) { finish(pixel); paint(pixel + 1); }
    return drawn;
}
/* Where the path is, and from rank to rank what it follows. */
function drawPath(height, width) {
    const path = line.path, x = t => LEFT + (t - view.from) / (view.to - view.from) * width;
    const y = i => (path.ranks[i] - view.first + 0.5) * height;
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, width, height * view.n);
    pen.clip();
    pen.beginPath();
    pen.strokeStyle = PATH_COLOUR;
    pen.lineWidth = Math.max(1, Math.min(3, height / 5));
    for (let i = 0, begun = false; i < path.ranks.length; i++) {
        const next = i + 1 < path.ranks.length ? path.from[i + 1] : path.to[i];
        if (next * line.tick_s < view.from || path.from[i] * line.tick_s > view.to) { begun = false; continue; }
        if (!begun) pen.moveTo(x(path.from[i] * line.tick_s), y(i));
        pen.lineTo(x(path.from[i] * line.tick_s), y(i));
        pen.lineTo(x(path.to[i] * line.tick_s), y(i));
        if (i + 1 < path.ranks.length) pen.lineTo(x(path.from[i + 1] * line.tick_s), y(i + 1));
        begun = true;
    }
    pen.stroke();
    pen.restore();
}
function drawAxis(width, y) {
    const span = view.to - view.from;
    let step = 10 ** Math.floor(Math.log10(span / 6));
    while (span / step > 12) step *= span / step > 24 ? 5 : 2;
    pen.fillStyle = "#222";
    pen.textAlign = "center";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        const x = LEFT + (t - view.from) / span * width;
        pen.fillRect(x, y, 1, 4);
        pen.fillText(seconds(Math.abs(t) < step / 2 ? 0 : t), x, y + 16);
    }
}
function drawTimeline() {
    const width = canvas.clientWidth - LEFT, scale = window.devicePixelRatio || 1;
    const height = Math.max(2, Math.min(22, Math.floor(640 / view.n)));
    canvas.style.height = height * view.n + AXIS + "px";
    canvas.width = canvas.clientWidth * scale;
    canvas.height = (height * view.n + AXIS) * scale;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = "11px sans-serif";
    let drawn = 0;
    const labels = Math.max(1, Math.ceil(12 / height));
    for (let i = 0; i < view.n; i++) {
        const rank = view.first + i;
        drawn += drawRow(rows[rank], i * height, height > 3 ? height - 1 : height, width);
        pen.fillStyle = "#222";
        pen.textAlign = "right";
        if (i % labels === 0) pen.fillText("rank " + rank, LEFT - 6, i * height + Math.min(height, 12) - 2);
    }
    if (byId("with-path").checked) drawPath(height, width);
    drawAxis(width, height * view.n);
    byId("view").textContent = seconds(view.from) + " to " + seconds(view.to) + ", " + count(drawn) +
        " states of ranks " + view.first + " to " + (view.first + view.n - 1) +
        (line.merge_s ? "; those below " + seconds(line.merge_s) + " are shown together" : "");
}
let waiting = false;
function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawTimeline(); });
}
function look(from, to) {
    const span = Math.min(end_s, Math.max(to - from, end_s * 1e-9));
    view.from = Math.max(0, Math.min(from, end_s - span));
    view.to = view.from + span;
    history.replaceState(null, "", "#" + view.from + "," + view.to);
    redraw();
}
function zoom(factor, at) {
    const t = view.from + at * (view.to - view.from), span = (view.to - view.from) * factor;
    look(t - at * span, t + (1 - at) * span);
}
const place = event => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left - LEFT) / (box.width - LEFT), (event.clientY - box.top) / (box.height - AXIS)];
};
canvas.addEventListener("wheel", event => {
    event.preventDefault();
    if (event.shiftKey) {
        const step = Math.sign(event.deltaY || event.deltaX) * Math.max(1, view.n >> 3);
        view.first = Math.max(0, Math.min(rows.length - view.n, view.first + step));
        redraw();
    } else
        zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.max(0, place(event)[0]));
}, { passive: false });
let grip = null;
canvas.addEventListener("pointerdown", event => { grip = { x: place(event)[0], from: view.from, to: view.to }; });
window.addEventListener("pointerup", () => { grip = null; });
canvas.addEventListener("pointermove", event => {
    const [x, y] = place(event);
    if (grip) {
        const moved = (grip.x - x) * (grip.to - grip.from);
        look(grip.from + moved, grip.to + moved);
        return;
    }
    const rank = view.first + Math.floor(y * view.n), row = rows[rank];
    const t = view.from + x * (view.to - view.from);
    const i = row && x >= 0 ? firstEndingAfter(row, t) : -1;
    byId("hover").textContent = i < 0 || i >= row.begin.length || row.begin[i] > t ? "" :
        "rank " + rank + ": " + line.names[row.name[i]][0] + " " + line.sites[row.site[i]] + ", " +
        seconds(row.begin[i]) + " to " + seconds(row.end[i]) + " (" + seconds(row.end[i] - row.begin[i]) + ")" +
        (row.bytes[i] ? ", " + count(row.bytes[i]) + " B" : "") + (row.peer[i] >= 0 ? ", with rank " + row.peer[i] : "");
});
canvas.addEventListener("dblclick", () => look(0, end_s));
byId("in").onclick = () => zoom(0.5, 0.5);
byId("out").onclick = () => zoom(2, 0.5);
byId("all").onclick = () => look(0, end_s);
byId("with-path").onchange = redraw;
window.addEventListener("resize", redraw);
canvas.style.width = "100%";
for (const kind of line.kinds) {
    const item = element("span", kind), box = document.createElement("i");
    box.style.background = COLOURS[kind];
    item.prepend(box);
    byId("legend").append(item);
}
const asked = location.hash.slice(1).split(",").map(Number);
if (asked.length === 2 && asked[0] >= 0 && asked[1] > asked[0]) {
    view.from = Math.min(asked[0], end_s);
    view.to = Math.min(asked[1], end_s);
}
drawTimeline();
