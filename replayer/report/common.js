"use strict";
const byId = id => document.getElementById(id);
window.onerror = message => { byId("errors").textContent = "This page failed: " + message; };
const data = JSON.parse(byId("data").textContent);

/* ---- colours of the light or dark style ---- */

const dark = matchMedia("(prefers-color-scheme: dark)");
/* What charts show: names by their ids, which are also those of their colours (results/looks.def). */
const NAMES = @NAMES@;
const idOf = name => Object.keys(NAMES).find(id => NAMES[id] === name) || "other";
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
/* Draws now, and again whenever the style changes. A function may return a chart, which is replaced. */
function draw(paint) {
    let chart;
    const again = () => {
        if (chart && chart.destroy) chart.destroy();
        Object.assign(Chart.defaults, { animation: false, color: colour("ink"), borderColor: colour("line") });
        chart = paint();
    };
    dark.addEventListener("change", again);
    again();
}

/* ---- numbers for people: four significant digits; the exact number is the title of the cell ---- */

const four = x => String(Number(x.toPrecision(4)));
const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const unitOf = s => UNITS.find(u => Math.abs(s) >= u[0]) || (s ? UNITS[3] : UNITS[0]);
function seconds(s) {
    const [scale, unit] = unitOf(s);
    return four(s / scale) + " " + unit;
}
const count = n => n < 10000 ? String(n) :
    n < 1e6 ? Number(four(n)).toLocaleString("en-US") : n < 1e9 ? four(n / 1e6) + " million" : four(n / 1e9) + " billion";
function bytes(n) {
    const power = Math.min(6, Math.max(0, Math.floor(Math.log2(Math.max(n, 1)) / 10)));
    return four(n / 1024 ** power) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][power];
}
function percent(part, whole) {
    const value = 100 * part / (whole || 1);
    return value > 0 && value < 0.001 ? "below 0.001 %" : four(value) + " %";
}

/* ---- elements ---- */

function element(tag, text, className) {
    const e = document.createElement(tag);
    e.textContent = text;
    if (className) e.className = className;
    return e;
}
const exact = (value, format) => ({ text: format(value), title: String(value) });
/* Call paths with their next three callers; the title of the cell has all of them. Paths that would
 * look the same have those in which they differ instead. */
function shortPaths(names) {
    const parts = names.map(name => name.split(" < "));
    const short = parts.map(p => p.length > 4 ? p.slice(0, 4).join(" < ") + " < .." : p.join(" < "));
    const alike = new Map();
    short.forEach((text, i) => alike.set(text, [...(alike.get(text) || []), i]));
    return names.map((name, i) => {
        const common = k => { let n = 0; while (n < parts[i].length && parts[i][n] === parts[k][n]) n++; return n; };
        const others = alike.get(short[i]).filter(k => names[k] !== name), from = others.length ? Math.max(...others.map(common)) : 0;
        return { title: parts[i].length > 4 ? name : "", text: !from ? short[i] :
            [parts[i][0], "..", ...parts[i].slice(from, from + 3), ...(parts[i].length > from + 3 ? [".."] : [])].join(" < ") };
    });
}
const withPaths = (list, rowOf) => { const names = shortPaths(list.map(s => s.name)); return list.map((s, i) => rowOf(s, names[i])); };
/* A cell is a text, or what exact() returns, or one of shortPaths(). */
function table(id, head, rows, most = 200) {
    const table = document.createElement("table"), top = document.createElement("tr");
    head.forEach((text, i) => top.append(element("th", text, i ? "n" : "")));
    table.append(top);
    for (const cells of rows.slice(0, most)) {
        const row = document.createElement("tr");
        cells.forEach((cell, i) => {
            const e = element("td", cell.text === undefined ? cell : cell.text, i ? "n" : "");
            if (cell.title) e.title = cell.title;
            row.append(e);
        });
        table.append(row);
    }
    byId(id).replaceChildren(rows.length ? table : "none");
    if (rows.length > most) byId(id).append(element("p", "and " + count(rows.length - most) + " more", "hint"));
}
/* ids: of looks.def, or [text, name of the colour]. */
function legend(box, ids) {
    box.className = "legend";
    box.replaceChildren(...ids.map(id => Array.isArray(id) ? id : [NAMES[id], id]).map(([text, name]) => {
        const item = element("span", text), square = document.createElement("i");
        square.style.background = "var(--" + name + ")";
        item.prepend(square);
        return item;
    }));
}

/* ---- charts ---- */

/* Stacked bars of seconds: parts = [[id, [seconds of each bar]]]. */
function stackedBars(box, canvas, labels, parts) {
    const longest = Math.max(...labels.map((_, i) => parts.reduce((sum, p) => sum + p[1][i], 0)), 0);
    const [scale, unit] = unitOf(longest);
    box.style.height = 80 + 22 * labels.length + "px";
    draw(() => new Chart(canvas, {
        type: "bar",
        data: { labels, datasets: parts.filter(p => p[1].some(s => s > 1e-6 * longest)).map(([id, values]) =>
            ({ label: NAMES[id], backgroundColor: colour(id), data: values.map(s => s / scale) })) },
        options: { indexAxis: "y", maintainAspectRatio: false,
            plugins: { legend: { labels: { boxWidth: 12 } },
                       tooltip: { callbacks: { label: c => c.dataset.label + ": " + seconds(c.raw * scale) } } },
            scales: { x: { stacked: true, title: { display: true, text: "time [" + unit + "]" } },
                      y: { stacked: true, ticks: { autoSkip: false } } } } }));
}

/* ---- ranks: the slowest, the typical ones, the fastest ---- */

/* Indices of ranks by how long they are busy, the longest first. */
const byBusy = busy => Array.from(busy.keys()).sort((a, b) => busy[b] - busy[a] || a - b);
/* Whether no rank is busy for longer than another by what can be seen. */
const areAlike = busy => {
    const most = busy.reduce((a, b) => Math.max(a, b), 0);
    return busy.reduce((a, b) => Math.min(a, b), Infinity) >= most * (1 - 1e-4);
};
/* [[what, rank]]: all ranks if they are few. */
function chosenRanks(busy, few) {
    const order = byBusy(busy), middle = order.length >> 1;
    if (order.length <= few) return Array.from(busy.keys(), rank => ["", rank]);
    if (areAlike(busy)) return [["typical", order[middle]]];
    return [...order.slice(0, 3).map(rank => ["slowest", rank]), ["typical", order[middle]],
            ...order.slice(-3).map(rank => ["fastest", rank])];
}
/* For many ranks: how long each is busy. A column of pixels shows all its ranks, from the fastest to
 * the slowest of them. */
function busyStrip(canvas, sides) {
    const key = element("p", "");
    legend(key, [["fastest rank of a column of pixels", "many"], ["slowest", "some"]]);
    canvas.before(key);
    const paint = () => {
        const LEFT = 64, TOP = 20, HEIGHT = 120, width = canvas.clientWidth - LEFT - 8, n = sides[0].busy.length;
        const pen = sharp(canvas, (HEIGHT + TOP + 16) * sides.length + 4);
        const most = Math.max(...sides.map(s => s.busy.reduce((a, b) => Math.max(a, b), 0))) || 1;
        const columns = Math.min(n, Math.floor(width));
        sides.forEach((side, k) => {
            const base = TOP + (HEIGHT + TOP + 16) * k + HEIGHT, y = s => base - HEIGHT * s / most;
            for (let c = 0; c < columns; c++) {
                let low = Infinity, high = 0;
                for (let r = Math.floor(c * n / columns); r < Math.floor((c + 1) * n / columns); r++) {
                    low = Math.min(low, side.busy[r]);
                    high = Math.max(high, side.busy[r]);
                }
                const x = LEFT + Math.floor(c * width / columns), w = Math.max(1, LEFT + Math.floor((c + 1) * width / columns) - x);
                pen.fillStyle = colour("many");
                pen.fillRect(x, y(low), w, base - y(low));
                pen.fillStyle = colour("some");
                pen.fillRect(x, y(high), w, Math.max(y(low) - y(high), 1.5));
            }
            pen.fillStyle = colour("ink");
            const slowest = byBusy(side.busy)[0], text = areAlike(side.busy) ? "all ranks alike" : "slowest: rank " + slowest, at = LEFT + (slowest + 0.5) * width / n;
            pen.fillRect(at - 1, y(side.busy[slowest]), 2, Math.max(4, HEIGHT * 0.05));
            pen.textAlign = at < LEFT + width / 2 ? "left" : "right";
            pen.fillText(text, at + (at < LEFT + width / 2 ? 5 : -5), y(side.busy[slowest]) - 4);
            pen.textAlign = "right";
            pen.fillText(seconds(most), LEFT - 4, base - HEIGHT + 9);
            pen.fillText("0 s", LEFT - 4, base);
            if (side.title) pen.fillText(side.title, LEFT - 4, base - HEIGHT / 2);
            pen.textAlign = "center";
            for (let i = 0; i <= 4; i++)
                pen.fillText("rank " + Math.round(i * (n - 1) / 4), Math.min(LEFT + width - 24, Math.max(LEFT + 24, LEFT + i * width / 4)), base + 13);
        });
    };
    draw(paint);
    window.addEventListener("resize", paint);
}
/* A canvas of this height whose pixels are the screen's; returns its pen. */
function sharp(canvas, height) {
    const scale = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
    canvas.style.height = height + "px";
    canvas.width = canvas.clientWidth * scale;
    canvas.height = height * scale;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = "11px sans-serif";
    return pen;
}
