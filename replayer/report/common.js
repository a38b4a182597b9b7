"use strict";
const byId = id => document.getElementById(id);
window.onerror = message => { byId("errors").textContent = "This page failed: " + message; };

const data = JSON.parse(byId("data").textContent);
const prediction = data.prediction, line = data.timeline, details = prediction.details;
const COLOURS = { compute: "#59b266", kernel: "#1a7340", send: "#f2a633", receive: "#e8d44d",
                  wait: "#cc4040", collective: "#4d73cc", io: "#8c59b3", other: "#b3b3b3" };
const PATH_COLOUR = "#d01c8b";
const WAITS = { late_sender_s: ["late sender", "#cc4040"], late_receiver_s: ["late receiver", "#f2a633"],
                collective_wait_s: ["wait at collective", "#4d73cc"] };

function element(tag, text, className) {
    const e = document.createElement(tag);
    e.textContent = text;
    if (className) e.className = className;
    return e;
}
function seconds(s) {
    const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
    const [scale, unit] = units.find(u => Math.abs(s) >= u[0]) || (s ? units[3] : units[0]);
    return Number((s / scale).toPrecision(6)) + " " + unit;
}
const count = n => n.toLocaleString("en");
const share = s => (100 * s / totalRankSeconds).toFixed(1) + " %";
const totalRankSeconds = prediction.ranks.reduce((sum, r) => sum + r.end_s, 0) || 1;
function table(id, head, rows) {
    const table = document.createElement("table"), top = document.createElement("tr");
    head.forEach((text, i) => top.append(element("th", text, i ? "n" : "")));
    table.append(top);
    for (const cells of rows) {
        const row = document.createElement("tr");
        cells.forEach((text, i) => row.append(element("td", text, i ? "n" : "")));
        table.append(row);
    }
    if (rows.length) byId(id).append(table);
    else byId(id).textContent = "none";
}
