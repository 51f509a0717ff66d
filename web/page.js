// Fills the page's tables, and draws again what the reader's choices change.
function choose(name, scroll) {
  for (const row of byId("ops").tBodies[0].rows) {
    const chosen = row.dataset.op === name;
    row.classList.toggle("chosen", chosen);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (chosen && scroll) row.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
  }
}

const columns = [
  ["operation", (op) => opName(op), (op) => opName(op), true],
  ["GFLOP", (op) => op.flops, (op) => op.flops ? number(op.flops / 1e9) : "-"],
  ["MB", (op) => op.level_bytes.dram, (op) => op.level_bytes.dram ? number(op.level_bytes.dram / 1e6) : "-"],
  ["FLOP/B", (op) => op.intensity_flop_per_byte.dram, (op) => op.flops ? number(op.intensity_flop_per_byte.dram) : "-"],
  ["roof TFLOP/s", (op) => op.roof_tflops, (op) => op.flops ? number(op.roof_tflops) : "-"],
  ["TFLOP/s", (op) => op.tflops, (op) => op.flops ? number(op.tflops) : "-"],
  ["of roof", (op) => op.share_of_roof, (op) => percent(op.share_of_roof)],
  ["bound by", (op) => op.bound, (op) => op.bound, true],
  ["calls", (op) => op.runs, (op) => number(op.runs)],
  ["time", (op) => op.total_us, (op) => time(op.total_us)],
  ["of step", (op) => op.share_of_step, (op) => percent(op.share_of_step)],
];
let sorted = { column: columns.length - 1, up: false };

function fillOps() {
  const table = byId("ops");
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  columns.forEach(([title, , , isText], i) => {
    const cell = make("th", undefined, isText ? "text" : "");
    const button = make("button", title);
    button.onclick = () => {
      sorted = { column: i, up: sorted.column === i ? !sorted.up : Boolean(isText) };
      fillOps();
    };
    if (sorted.column === i) cell.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    cell.append(button);
    head.append(cell);
  });
  const key = columns[sorted.column][1];
  const order = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (sorted.up ? 1 : -1);
  const body = table.createTBody();
  for (const op of [...current.operations].sort(order)) {
    const row = body.insertRow();
    row.dataset.op = opName(op);
    row.onclick = () => choose(row.dataset.op, false);
    for (const [, , text, isText] of columns) row.append(make("td", text(op), isText ? "text" : ""));
  }
}

// As the roofline's text has it.
function layout(plan) {
  const degrees = [["TP", plan.tensor], ["PP", plan.pipeline], ["CP", plan.context], ["DP", plan.data], ["EP", plan.expert]];
  return degrees.filter(([, degree]) => degree > 1).map((each) => each.join(" "))
    .concat(plan.mode === "train" && plan.zero > 0 ? [`ZeRO-${plan.zero}`] : []);
}

function gib(bytes) { return (bytes / 2 ** 30).toFixed(1) + " GiB"; }

function fillSummary() {
  const { step, plan } = current;
  byId("title").textContent = `${current.model || current.path} on ${current.gpu_name}`;
  byId("plan").textContent = `${current.path}: ${plan.mode}, micro-batch ${plan.micro_batch_size}, ` +
    (isNetwork(current) ? "" : plan.mode === "decode" ? `${number(plan.context_length, 8)} tokens in the KV cache, ` : `sequence length ${number(plan.sequence_length, 8)}, `) +
    [plan.dtype, ...layout(plan)].join(", ");
  const room = current.step.memory.capacity_bytes;
  const full = Boolean(room) && current.step.memory.total_bytes > room;
  const cards = [["step", time(step.step_us)], ["bound by", step.bound],
                 [`${isNetwork(current) ? "images" : "tokens"}/s/GPU`, number(current.step.tokens_per_s_per_gpu)],
                 [full ? `memory: exceeds ${gib(room)}` : `memory${room ? ` of ${gib(room)}` : ""} per GPU`,
                  gib(current.step.memory.total_bytes), full ? "warned" : ""],
                 ["kernels", number(current.launches.kernels)]];
  if (plan.mode === "train") cards.splice(2, 0, ["MFU", percent(step.mfu)]);
  if (current.serving) cards.splice(2, 0, ["time to first token", time(current.serving.first_token_us)]);
  if (current.serving && plan.mode === "decode") {
    const perToken = ["time per token", time(current.serving.token_us)];
    // A step gives each sequence a token, unless it speculates or is one of several stages.
    if (perToken[1] === cards[0][1]) cards[0] = perToken;
    else cards.splice(1, 0, perToken);
  }
  byId("summary").replaceChildren(...cards.map(([label, value, className]) => {
    const card = make("div", undefined, className);
    card.append(make("b", value), make("span", label));
    return card;
  }));
}

function fillRemedies() {
  byId("remedies-section").hidden = current.remedies.length === 0;
  const table = byId("remedies");
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const title of ["change", "bottleneck", "step", "throughput"]) head.append(make("th", title));
  const body = table.createTBody();
  for (const each of current.remedies) {
    const row = body.insertRow();
    for (const text of [each.change + (each.note ? ` (${each.note})` : ""), each.against, time(each.step_us),
                        "x" + number(each.throughput_ratio, 3)]) row.append(make("td", text));
  }
}

function fillFindings() {
  const swept = new Set(sweepsOf(current).map((sweep) => sweep.field));
  const items = findingsOf(current).map((finding) => {
    const item = make("div", undefined, "finding " + finding.severity);
    const first = make("div");
    const code = make(finding.url ? "a" : "span", `${finding.code} ${finding.rule}`, "code");
    if (finding.url) code.href = finding.url;
    first.append(code, ": ", ...withCode(finding.message));
    item.append(first);
    for (const [text, className] of [[finding.label, ""], [finding.why, "soft"]]) {
      if (!text) continue;
      const line = make("div", undefined, className);
      line.append(...withCode(text));
      item.append(line);
    }
    for (const proposal of finding.proposals || []) {
      const change = proposal.changes.map((each) => `${each.field} = ${each.after}`).join(", ");
      const line = make("div", `fix: ${change}, saves ${percent(gainOf(proposal))} of the step `);
      const field = proposal.changes.map((each) => each.field).find((each) => swept.has(each));
      if (field && window.vegaEmbed) {
        const button = make("button", "show in the sweep", "to-sweep");
        button.onclick = () => showSweep(field);
        line.append(button);
      }
      item.append(line);
    }
    return item;
  });
  byId("findings").replaceChildren(...(items.length ? items : [make("p", "nothing found", "soft")]));
}

// All cases in a table; a row shows its case.
function fillCompare() {
  byId("compare-section").hidden = roofline.cases.length < 2;
  const table = byId("compare");
  table.replaceChildren();
  const serves = roofline.cases.every((each) => each.serving);
  const per = roofline.cases.every(isNetwork) ? "images/s/GPU" : "tokens/s/GPU";
  const titles = ["model", "GPU", "step", per, "bound by", serves ? "first token" : "MFU", "memory", ""];
  const head = table.createTHead().insertRow();
  titles.forEach((title, i) => head.append(make("th", title, i < 2 ? "text" : "")));
  const body = table.createTBody();
  roofline.cases.forEach((each, i) => {
    const share = each.step[each.step.bound + "_us"] / each.step.step_us;
    const best = [each.best_gpu && "best GPU", each.best_model && "best model"].filter(Boolean).join(", ");
    const row = body.insertRow();
    row.className = each === current ? "chosen" : "";
    row.onclick = () => { byId("case").value = i; current = each; show(); };
    [each.model || each.path, each.gpu_name, time(each.step.step_us), number(each.step.tokens_per_s_per_gpu),
     `${each.step.bound} ${percent(share)}`, serves ? time(each.serving.first_token_us) : percent(each.step.mfu),
     gib(each.step.memory.total_bytes) + (each.step.memory.fits ? "" : ", does not fit"), best,
    ].forEach((text, column) => row.append(make("td", text, column < 2 ? "text" : "")));
  });
  byId("compare-text").replaceChildren(...roofline.best.map((line) => make("li", line)));
}

function show() {
  fillSummary();
  fillCompare();
  fillSweepChoice();
  fillOps();
  fillRemedies();
  fillFindings();
  redraw = redraw.then(() => Promise.all([drawRoofline(), drawWaterfall(), drawSweep()]))
    .then(() => { document.body.dataset.ready = "yes"; });
}

roofline.cases.forEach((each, i) => {
  const option = make("option", `${each.model || each.path} on ${each.gpu_name}`);
  option.value = i;
  byId("case").append(option);
});
byId("case-choice").hidden = roofline.cases.length < 2;
byId("case").onchange = (event) => {
  current = roofline.cases[event.target.value];
  show();
};
if (window.vegaEmbed) {
  byId("by-pointer").hidden = false;
  for (const [id, title] of Object.entries(levels)) {
    const label = make("label");
    const input = make("input");
    Object.assign(input, { type: "radio", name: "level", value: id, checked: id === level });
    input.onchange = () => { level = id; redraw = redraw.then(drawRoofline); };
    label.append(input, ` ${title}`);
    byId("levels").append(label);
  }
}
byId("sweep-field").onchange = (event) => {
  sweepField = event.target.value;
  redraw = redraw.then(drawSweep);
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
let wasNarrow = isNarrow();
addEventListener("resize", () => {
  if (isNarrow() !== wasNarrow) show();  // legends and labels move
  wasNarrow = isNarrow();
});
show();
