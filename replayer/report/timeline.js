
/* ---- timelines ---- */

/* Numbers in groups of seven bits, the lowest first; see states.h. */
function decode(text, tick_s) {
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
        columns.begin.push(begin * tick_s);
        columns.end.push(now * tick_s);
        columns.name.push(number());
        columns.site.push(number());
        columns.bytes.push(number());
        columns.peer.push(number() - 1);
    }
    columns.begin = Float64Array.from(columns.begin);
    columns.end = Float64Array.from(columns.end);
    return columns;
}
/* The first state that ends after t, or also at t. */
function firstEnding(row, t, at = false) {
    let low = 0, high = row.end.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (row.end[middle] > t || (at && row.end[middle] === t)) high = middle; else low = middle + 1;
    }
    return low;
}
/* What the critical path does, as a row: the states of its rank. From rank to rank it follows a
 * message or a collective. */
function pathRow(line, rows) {
    const path = line.path, row = { begin: [], end: [], kind: [], rank: [] };
    const kindOf = (rank, i) => {
        const kind = line.kinds[line.names[rows[rank].name[i]][1]];
        return ["send", "receive", "wait"].includes(kind) ? "message" : kind;
    };
    const add = (rank, from, to) => {
        const states = rows[rank];
        for (let i = firstEnding(states, from); i < states.begin.length && states.begin[i] < to; i++) {
            row.begin.push(Math.max(from, states.begin[i]));
            row.end.push(Math.min(to, states.end[i]));
            row.kind.push(kindOf(rank, i));
            row.rank.push(rank);
        }
    };
    for (let i = 0; i < path.ranks.length; i++) {
        const from = path.from[i] * line.tick_s, to = path.to[i] * line.tick_s;
        add(path.ranks[i], from, to);
        if (i + 1 < path.ranks.length) add(path.ranks[i + 1], to, path.from[i + 1] * line.tick_s);
    }
    return row;
}

/* One canvas for each panel { title, line, busy }, all with the same view of time and ranks. */
function timelines(box, panels, end_s) {
    const LEFT = 74, AXIS = 20, TITLE = 18, PATH = 14, GAP = 5;
    const n_ranks = panels[0].line.ranks.length;
    const view = { from: 0, to: end_s || 1, first: 0, n: n_ranks };
    const part = (tag, className, ...inside) => {
        const e = element(tag, "", className);
        e.append(...inside);
        return e;
    };
    const button = (id, text, act) => {
        const b = element("button", text);
        b.id = id;
        b.onclick = act;
        return b;
    };
    const label = part("p", ""), shown = element("output", ""), hover = part("p", "hover");
    shown.id = "view";
    hover.id = "hover";
    const which = document.createElement("select");
    which.append(new Option("all ranks", "all"), new Option("slowest, typical, fastest ranks", "chosen"));
    const marks = document.createElement("input");
    marks.type = "checkbox";
    marks.checked = true;
    box.append(label, part("p", "", button("in", "+", () => zoom(0.5, 0.5)), " ", button("out", "−", () => zoom(2, 0.5)), " ",
        button("all", "All", () => { view.first = 0; view.n = n_ranks; look(0, end_s); }), " ", ...(n_ranks > 16 ? [which, " "] : []),
        part("label", "", marks, " mark the critical path")),
        part("p", "", shown),
        part("p", "hint", "wheel: zoom; drag: move; double click: all; shift and wheel: other ranks; alt and wheel: more or fewer ranks"));
    const usesKinds = new Set(), pathKinds = new Set();
    for (const panel of panels) {
        panel.rows = panel.line.ranks.map(text => decode(text, panel.line.tick_s));
        panel.path = pathRow(panel.line, panel.rows);
        panel.n_states = panel.rows.reduce((sum, row) => sum + row.begin.length, 0);
        panel.chosen = chosenRanks(panel.busy, 16);
        panel.canvas = part("canvas", "timeline");
        panel.top = panel.title ? TITLE : 2;
        box.append(panel.canvas);
        for (const kind of panel.path.kind) pathKinds.add(kind);
        for (const row of panel.rows)
            for (const name of row.name) usesKinds.add(panel.line.kinds[panel.line.names[name][1]]);
    }
    panels[0].canvas.id = "timeline";
    box.append(hover);
    legend(label, [...panels[0].line.kinds.filter(k => usesKinds.has(k)), ...(pathKinds.has("message") ? ["message"] : []), "path"]);

    /* The rows on the screen, { rank, what }: if there are more ranks than pixels, of each group of
     * neighbours the one that is busy for the longest time. */
    function rowsOf(panel, room) {
        if (which.value === "chosen") return panel.chosen.map(([what, rank]) => ({ rank, what }));
        const group = Math.ceil(view.n / Math.max(1, Math.floor(room))), rows = [];
        for (let first = view.first; first < view.first + view.n; first += group) {
            let rank = first;
            for (let r = first; r < Math.min(first + group, view.first + view.n); r++)
                if (panel.busy[r] > panel.busy[rank]) rank = r;
            rows.push({ rank, what: "" });
        }
        return rows;
    }
    /* Each pixel has the colour of the kind that takes most of its time. Returns the number of states. */
    function drawRow(pen, colours, row, kindOf, y, height, width) {
        const perPixel = (view.to - view.from) / width, sums = new Map();
        let pixel = -1, kept = null, start = 0, drawn = 0;
        const paint = x => {
            if (kept && x > start) {
                pen.fillStyle = colours[kept];
                pen.fillRect(LEFT + start, y, x - start, height);
            }
        };
        const turn = (kind, x) => { if (kind !== kept) { paint(x); kept = kind; start = x; } };
        const finish = x => {
            let best = null;
            for (const [kind, sum] of sums) if (best === null || sum > sums.get(best)) best = kind;
            sums.clear();
            turn(best, x);
        };
        for (let i = firstEnding(row, view.from, true); i < row.begin.length && row.begin[i] <= view.to; i++) {
            const kind = kindOf(i);
            const from = Math.max(0, (row.begin[i] - view.from) / perPixel);
            const to = Math.min(width, (row.end[i] - view.from) / perPixel);
            drawn++;
            for (let p = Math.floor(from); p < to; ) {
                if (p !== pixel) { if (pixel >= 0) finish(pixel); pixel = p; }
                const last = Math.floor(to);
                sums.set(kind, (sums.get(kind) || 0) + Math.min(to, p + 1) - Math.max(from, p));
                if (last > p + 2) {  /* the inside of a long state */
                    finish(p);
                    turn(kind, p + 1);
                    pixel = last - 1;
                    sums.set(kind, 1);
                    p = last;
                } else
                    p++;
            }
        }
        if (pixel >= 0) { finish(pixel); paint(pixel + 1); }
        return drawn;
    }
    /* Below the states of a rank, where the path is on this rank. */
    function markPath(pen, panel, places, width, thickness) {
        const path = panel.line.path, tick = panel.line.tick_s;
        const x = t => Math.max(0, Math.min(width, (t - view.from) / (view.to - view.from) * width));
        pen.fillStyle = colour("path");
        for (let i = 0; i < path.ranks.length; i++) {
            const y = places.get(path.ranks[i]), from = path.from[i] * tick, to = path.to[i] * tick;
            if (y === undefined || to < view.from || from > view.to) continue;
            pen.fillRect(LEFT + x(from), y, Math.max(1, x(to) - x(from)), thickness);
        }
    }
    function drawAxis(pen, width, y) {
        const span = view.to - view.from;
        let step = 10 ** Math.floor(Math.log10(span / 6));
        while (span / step > 8) step *= span / step > 16 ? 5 : 2;
        const [scale, unit] = unitOf(view.to), digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
        pen.fillStyle = colour("ink");
        pen.textAlign = "center";
        for (let i = Math.ceil(view.from / step); i * step <= view.to * (1 + 1e-12); i++) {
            const x = LEFT + (i * step - view.from) / span * width;
            pen.fillRect(x, y, 1, 4);
            pen.fillText((i * step / scale).toFixed(digits) + " " + unit, Math.min(x, LEFT + width - 24), y + 16);
        }
    }
    function drawPanel(panel, colours) {
        const canvas = panel.canvas, room = Math.max(60, Math.min(560, 0.58 * innerHeight) / panels.length - PATH - AXIS - panel.top);
        const width = canvas.clientWidth - LEFT - 2;
        panel.shown = rowsOf(panel, room);
        panel.height = Math.min(22, room / panel.shown.length);
        panel.begin = panel.top + PATH + GAP;
        const bottom = panel.begin + Math.ceil(panel.height * panel.shown.length);
        const pen = sharp(canvas, bottom + AXIS), places = new Map();
        const mark = marks.checked && panel.height >= 12 ? 3 : 0;
        const labels = Math.max(1, Math.ceil(12 / panel.height));
        let drawn = 0;
        pen.fillStyle = colour("ink");
        if (panel.title) pen.fillText(panel.title, 4, 13);
        pen.textAlign = "right";
        pen.fillText("critical path", LEFT - 5, panel.top + 11);
        drawRow(pen, colours, panel.path, i => panel.path.kind[i], panel.top, PATH, width);
        panel.shown.forEach(({ rank, what }, i) => {
            const y = Math.round(panel.begin + i * panel.height), next = Math.round(panel.begin + (i + 1) * panel.height);
            const height = Math.max(1, next - y - mark - (panel.height >= 4 ? 1 : 0)), row = panel.rows[rank];
            drawn += drawRow(pen, colours, row, k => panel.line.kinds[panel.line.names[row.name[k]][1]], y, height, width);
            places.set(rank, next - mark);
            pen.fillStyle = colour("ink");
            pen.textAlign = "right";
            if (i % labels === 0)
                pen.fillText(what ? what + " " + rank : "rank " + rank, LEFT - 5, y + Math.min(Math.max(height, 9), 12) - 1);
        });
        if (mark) markPath(pen, panel, places, width, 2);
        drawAxis(pen, width, bottom);
        return drawn;
    }
    function drawAll() {
        const colours = { message: colour("message") };
        for (const kind of panels[0].line.kinds) colours[kind] = colour(kind);
        const drawn = panels.reduce((sum, panel) => sum + drawPanel(panel, colours), 0);
        const merged = Math.max(...panels.map(p => p.line.merge_s)), group = Math.ceil(view.n / panels[0].shown.length);
        shown.textContent = seconds(view.from) + " to " + seconds(view.to) + ", " + count(drawn) + " states" +
            (which.value === "chosen" ? "" : " of ranks " + view.first + " to " + (view.first + view.n - 1)) +
            (which.value !== "chosen" && group > 1 ? "; a row is the busiest of " + group + " neighbours" : "") +
            (merged ? "; those below " + seconds(merged) + " are shown together" : "");
        shown.dataset.states = drawn;
    }
    let waiting = false;
    function redraw() {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => { waiting = false; drawAll(); });
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
    function chooseRanks(first, n) {
        view.n = Math.max(1, Math.min(n_ranks, n));
        view.first = Math.max(0, Math.min(n_ranks - view.n, first));
        redraw();
    }
    const hash = location.hash.slice(1).split(",").map(Number);
    if (hash.length === 2 && hash[0] >= 0 && hash[1] > hash[0]) {
        view.from = Math.min(hash[0], end_s);
        view.to = Math.min(hash[1], end_s);
    }
    let grip = null;
    window.addEventListener("pointerup", () => { grip = null; });
    for (const panel of panels) {
        const canvas = panel.canvas;
        /* The time as a share of the view, and the row. */
        const place = event => {
            const from = canvas.getBoundingClientRect();
            return [(event.clientX - from.left - LEFT) / (from.width - LEFT - 2),
                    Math.floor((event.clientY - from.top - panel.begin) / panel.height), event.clientY - from.top - panel.top];
        };
        canvas.addEventListener("wheel", event => {
            const down = Math.sign(event.deltaY || event.deltaX);
            event.preventDefault();
            if (event.shiftKey)
                chooseRanks(view.first + down * Math.max(1, view.n >> 3), view.n);
            else if (event.altKey) {
                const n = down > 0 ? Math.ceil(view.n * 1.5) : Math.floor(view.n / 1.5);
                chooseRanks(view.first + Math.round((view.n - n) * Math.max(0, place(event)[1]) / panel.shown.length), n);
            } else
                zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.max(0, place(event)[0]));
        }, { passive: false });
        canvas.addEventListener("pointerdown", event => { grip = { x: place(event)[0], from: view.from, to: view.to }; });
        canvas.addEventListener("dblclick", () => look(0, end_s));
        canvas.addEventListener("pointermove", event => {
            const [x, y, top] = place(event);
            if (grip) {
                const moved = (grip.x - x) * (grip.to - grip.from);
                look(grip.from + moved, grip.to + moved);
                return;
            }
            const t = view.from + x * (view.to - view.from), line = panel.line;
            let rank = y >= 0 && panel.shown[y] ? panel.shown[y].rank : -1, before = "";
            if (top >= 0 && top < PATH) {
                const at = firstEnding(panel.path, t);
                rank = at < panel.path.rank.length ? panel.path.rank[at] : -1;
                before = "critical path, ";
            }
            const row = panel.rows[rank], i = row && x >= 0 ? firstEnding(row, t) : -1;
            hover.textContent = i < 0 || i >= row.begin.length || row.begin[i] > t ? "" :
                before + "rank " + rank + ": " + line.names[row.name[i]][0] + " " + line.sites[row.site[i]] + ", " +
                seconds(row.begin[i]) + " to " + seconds(row.end[i]) + " (" + seconds(row.end[i] - row.begin[i]) + ")" +
                (row.bytes[i] ? ", " + bytes(row.bytes[i]) : "") + (row.peer[i] >= 0 ? ", with rank " + row.peer[i] : "");
        });
    }
    which.onchange = redraw;
    marks.onchange = redraw;
    window.addEventListener("resize", redraw);
    draw(drawAll);
    return { drawAll, panels, LEFT, AXIS };
}
