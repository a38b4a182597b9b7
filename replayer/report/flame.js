/* The tree of the stacks, drawn from the root downwards. */
const HEIGHT = 18;
const root = {name: "all", kind: "function", time: 0, children: new Map(), parent: null, depth: 0};
/* A stack ends with frames of the kinds `last`; before these, there are functions. */
function grow(stack, time, last) {
  let at = root;
  root.time += time;
  const names = stack.split(";");
  const nFunctions = names.length - last.length;
  names.forEach((name, i) => {
    const kind = i < nFunctions ? "function" : last[i - nFunctions];
    const key = kind + name;
    if (!at.children.has(key))
      at.children.set(key, {name, kind, time: 0, children: new Map(), parent: at, depth: at.depth + 1});
    at = at.children.get(key);
    at.time += time;
  });
}
for (const [stack, time] of data.compute) grow(stack, time, ["compute"]);
for (const [stack, time] of data.calls) grow(stack, time, ["call"]);
for (const [stack, time] of data.waits) grow(stack, time, ["call", "wait"]);
const ofAll = t => percent(t, root.time);
const flame = byId("flame"), hover = byId("hover");
const search = byId("search"), found = byId("found");
const hint = hover.textContent;
let zoomed = root, pattern = null;

function pathOf(node) {
  const names = [];
  for (let n = node; n.parent; n = n.parent) names.unshift(n.name);
  return names.join(" > ") || "all";
}

/* Black or white: what is read better on a colour "#rrggbb". */
const INKS = new Map();
function inkOn(name) {
  if (!INKS.has(name)) {
    const [r, g, b] = colour(name).match(/[0-9a-f]{2}/gi).map(part => parseInt(part, 16));
    INKS.set(name, 0.3 * r + 0.6 * g + 0.1 * b > 110 ? "#000" : "#fff");
  }
  return INKS.get(name);
}

function drawFrames() {
  flame.textContent = "";
  INKS.clear();
  const width = flame.clientWidth;
  let deepest = 0;
  function put(node, left, share, isAbove) {
    if (share * width < 0.5) return;
    const box = document.createElement("div");
    const looks = node.kind === "wait" ? idOf(node.name) : node.kind;
    box.style.background = "var(--" + looks + ")";
    box.style.color = inkOn(looks);
    box.className = (isAbove ? " above" : "") + (pattern && pattern.test(node.name) ? " found" : "");
    box.style.left = 100 * left + "%";
    box.style.width = 100 * share + "%";
    box.style.top = node.depth * HEIGHT + "px";
    if (share * width > 25) box.textContent = node.name;
    const text = pathOf(node) + ": " + seconds(node.time) + ", " + ofAll(node.time);
    box.title = text;
    box.onmouseenter = () => { hover.textContent = text; };
    box.onclick = () => { zoomed = node === zoomed && node.parent ? node.parent : node; drawFrames(); };
    flame.append(box);
    deepest = Math.max(deepest, node.depth);
    if (isAbove) return;
    for (const child of [...node.children.values()].sort((a, b) => b.time - a.time)) {
      const part = node.time ? share * child.time / node.time : 0;
      put(child, left, part, false);
      left += part;
    }
  }
  for (let n = zoomed.parent; n; n = n.parent) put(n, 0, 1, true);
  put(zoomed, 0, 1, false);
  flame.style.height = (deepest + 1) * HEIGHT + "px";
}

/* The time of all frames that match; a frame inside of another that matches does not count again. */
function matching(node) {
  if (node.parent && pattern.test(node.name)) return node.time;
  let sum = 0;
  for (const child of node.children.values()) sum += matching(child);
  return sum;
}

search.oninput = () => {
  pattern = null;
  found.textContent = "";
  try {
    if (search.value) pattern = new RegExp(search.value, "i");
  } catch (error) {
    found.textContent = "not a regular expression";
  }
  if (pattern) found.textContent = seconds(matching(root)) + ", " + ofAll(matching(root));
  drawFrames();
};
flame.onmouseleave = () => { hover.textContent = hint; };
window.onresize = drawFrames;
dark.addEventListener("change", drawFrames);
legend(byId("key"), ["function", "compute", "call", ...new Set(data.waits.map(([stack]) => idOf(stack.split(";").pop())))]);
const prediction = data.prediction;
document.title = (prediction.command || prediction.trace) + ": predicted time by call path";
byId("what").textContent =
  prediction.trace + " on " + prediction.platform.replace(/.*\//, "") + ", " + prediction.n_ranks + " ranks: makespan " +
  seconds(prediction.makespan_s) + "; " + seconds(root.time) + " in all ranks together. " +
  (data.has_call_paths ? "" : "The trace has no call paths, so the frames are regions, functions and calls; " +
    "timeless record --call-paths 32 records the callers.");
drawFrames();
