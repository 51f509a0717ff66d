// Fills the page from the two documents that it carries: the roofline report and the lint report, which are what
// `shapelint roofline --format json` and `shapelint lint --format json` print.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { roofline, lint, sweeps } = read("data");
  const specs = read("specs");
  const byId = (id) => document.getElementById(id);
  const number = (value, digits = 4) =>
    value === null || value === undefined ? "-" : Number(value.toPrecision(digits)).toLocaleString("en-US",
      { maximumSignificantDigits: digits });
  const percent = (share) => (100 * share).toFixed(1) + " %";
  const time = (us) => us < 0 ? "-" + time(-us) : us >= 1e6 ? number(us / 1e6, 3) + " s" : us >= 1e3 ? number(us / 1e3, 3) + " ms" : number(us, 3) + " us";
  const short = { forward: "", recompute: " re", grad_input: " dx", grad_weight: " dw", backward: " bwd", update: " upd" };
  const isNetwork = (of) => of.produces === "images";
  const opName = (op) => op.name + short[op.pass];
  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const levels = { dram: "DRAM", l2: "L2", shared: "shared memory" };
  let level = "dram";
  let current = roofline.cases[0];
  let sweepField = "";  // the first of those there are
  let redraw = Promise.resolve();

  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), soft: of("--soft"), rule: of("--rule"), paper: of("--paper") };
  };

  const isNarrow = () => byId("roofline").clientWidth < 560;  // CSS pixels

  async function draw(id, spec, data, onView) {
    if (!window.vegaEmbed) return;  // built without it: the still picture stays
    const colour = colours();
    const narrow = isNarrow();
    const whole = structuredClone(spec);
    whole.params = [...(whole.params || []), { name: "ink", value: colour.ink }, { name: "paper", value: colour.paper }];
    whole.datasets = data;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const view = await vegaEmbed("#" + id, whole, {
      renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false },
      tooltip: { theme: dark ? "dark" : "light" },
      config: {
        background: "transparent", view: { stroke: null },
        axis: { labelColor: colour.soft, titleColor: colour.ink, gridColor: colour.rule, domainColor: colour.soft,
                tickColor: colour.soft },
        legend: { labelColor: colour.ink, titleColor: colour.ink, labelLimit: 240,
                  ...(narrow && { orient: "bottom", direction: "vertical", columns: 1 }) },
        text: { fontSize: narrow ? 10 : 11 },
      },
    });
    if (onView) onView(view.view);
  }

  const points = (of) => of.ops
    .filter((op) => op.intensity_flop_per_byte[level] > 0 && op.tflops > 0)
    .map((op) => ({ op: opName(op), intensity: op.intensity_flop_per_byte[level], tflops: op.tflops,
                    roof_tflops: op.roof_tflops, share_of_roof: op.share_of_roof, bound: op.bound,
                    share_of_step: op.share_of_step }));

  // Lines of the roofs that matter: of the level looked at, and of the units that run something.
  function roofs(of, marks) {
    const used = (roof) => of.ops.some((op) => op.flops > 0 && op.dtype === roof.dtype && op.units === roof.units);
    const ceilings = of.roofs.compute.filter(used);
    const memory = of.roofs.memory.find((each) => each.level === level);
    const highest = Math.max(...ceilings.map((roof) => roof.tflops), 1e-9);
    const low = Math.min(...marks.map((mark) => mark.intensity), 1) / 2;
    const high = Math.max(...marks.map((mark) => mark.intensity), 2 * (memory && memory.gb_s ? highest * 1e3 / memory.gb_s : 100)) * 2;
    const lines = [];
    const labels = [];
    const narrow = isNarrow();
    const lowest = Math.min(...marks.map((mark) => mark.tflops), ...ceilings.map((roof) => roof.tflops / 10));
    const add = (roof, basis, gbS, peak, top) => {
      if (gbS) {
        lines.push({ roof, basis, intensity: low, tflops: low * gbS / 1e3 },
                   { roof, basis, intensity: top * 1e3 / gbS, tflops: top });
        if (basis === "data sheet") {
          // Left of the line there is room from its middle upwards.
          const share = narrow ? 0.75 : 0.5;
          const middle = Math.max(low, lowest * 1e3 / gbS) ** (1 - share) * (top * 1e3 / gbS) ** share;
          labels.push({ roof: narrow ? `${number(gbS)} GB/s` : roof, intensity: middle, tflops: middle * gbS / 1e3 });
        }
      } else {
        const from = memory && memory.gb_s ? Math.max(low, peak * 1e3 / memory.gb_s) : low;
        lines.push({ roof, basis, intensity: from, tflops: peak }, { roof, basis, intensity: high, tflops: peak });
        if (basis === "data sheet") {
          labels.push({ roof: narrow ? `${roof.split(",")[0]} ${number(peak)} TFLOPS` : roof, intensity: high, tflops: peak });
        }
      }
    };
    const achieved = Math.max(...ceilings.map((roof) => roof.achieved_tflops || 0));
    if (memory && memory.gb_s) add(`${levels[level]} ${number(memory.gb_s)} GB/s`, "data sheet", memory.gb_s, 0, highest);
    if (memory && memory.achieved_gb_s && achieved) {
      add(`${levels[level]} ${number(memory.achieved_gb_s)} GB/s`, "achieved", memory.achieved_gb_s, 0, achieved);
    }
    for (const roof of ceilings) {
      const name = `${roof.dtype}, ${roof.units === "tensor" ? "tensor" : "CUDA"} cores`;
      add(`${name} ${number(roof.tflops)} TFLOPS`, "data sheet", 0, roof.tflops);
      if (roof.achieved_tflops) add(`${name} ${number(roof.achieved_tflops)} TFLOPS`, "achieved", 0, roof.achieved_tflops);
    }
    return { lines, labels, x: [low, high], y: [lowest / 2, 2 * highest] };
  }

  // Labels at powers of ten, between them also at 2 and 5 where there is room, and a line at each.
  function ticks([low, high], pixels) {
    const decades = Math.log10(high / low);
    const roomForLabel = 40;  // pixels
    const steps = pixels / decades > 3 * roomForLabel ? [1, 2, 5] : [1];
    const values = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
      for (const step of steps) {
        const value = Number(`${step}e${power}`);
        if (value >= low && value <= high) values.push(value);
      }
    }
    return { values, format: "~g", labelOverlap: true };
  }

  function choose(name, scroll) {
    for (const row of byId("ops").tBodies[0].rows) {
      const chosen = row.dataset.op === name;
      row.classList.toggle("chosen", chosen);
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (chosen && scroll) row.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
    }
  }

  const drawRoofline = () => {
    const marks = points(current);
    const { lines, labels, x, y } = roofs(current, marks);
    const spec = structuredClone(specs.roofline);
    for (const [axis, domain, size] of [["x", x, byId("roofline").clientWidth - 60], ["y", y, spec.height]]) {
      spec.layer[0].encoding[axis].scale.domain = domain;
      Object.assign(spec.layer[0].encoding[axis].axis, ticks(domain, size));
    }
    return draw("roofline", spec, { ops: marks, roofs: lines, labels }, (view) => {
      view.addEventListener("click", (_, item) => {
        if (item && item.datum && item.datum.op) choose(item.datum.op, true);
      });
    });
  };

  const drawWaterfall = () => {
    const total = current.step.time_us;
    let sum = 0;
    const losses = current.losses.filter((each) => Math.abs(each.time_us) >= total / 1000).map((each, i) => {
      const begin = sum;
      sum += each.time_us;
      return { name: each.name, kind: i === 0 ? "ideal" : "loss", begin_ms: begin / 1e3, end_ms: sum / 1e3,
               edge_ms: Math.max(begin, sum) / 1e3, time_ms: each.time_us / 1e3, share: each.time_us / total };
    });
    losses.push({ name: "the step", kind: "total", begin_ms: 0, end_ms: total / 1e3, edge_ms: total / 1e3,
                  time_ms: total / 1e3, share: 1 });
    return draw("waterfall", { ...specs.waterfall, height: 28 * losses.length }, { losses });
  };

  // Fields that change how the model is run, not what it is: there tokens compare like with like; between different
  // models arithmetic says more.
  const isRun = (sweep) => sweep.section === "run" || sweep.section === "parallel";
  const measure = (sweep) => isRun(sweep)
    ? { key: "tokens_per_s_per_gpu", title: `${isNetwork(current) ? "images" : "tokens"} per second and GPU` }
    : { key: "product_tflops", title: "matrix products per time of the step (TFLOPS)" };
  const sweepsOf = (of) => sweeps.filter((sweep) => sweep.path === of.path && sweep.model === of.model);
  const fieldTitle = (sweep) => sweep.field.replaceAll("_", " ") + (sweep.unit ? ` (${sweep.unit})` : "");

  function fillSweepChoice() {
    const fields = new Map(sweepsOf(current).map((sweep) => [sweep.field, fieldTitle(sweep)]));
    byId("sweep-section").hidden = fields.size === 0 || !window.vegaEmbed;
    if (!fields.has(sweepField)) sweepField = [...fields.keys()][0];
    byId("sweep-field").replaceChildren(...[...fields].map(([field, title]) => {
      const option = make("option", title);
      option.value = field;
      option.selected = field === sweepField;
      return option;
    }));
  }

  const showSweep = (field) => {
    sweepField = field;
    fillSweepChoice();
    byId("sweep-section").scrollIntoView({ block: "start" });
    redraw = redraw.then(drawSweep);
  };

  // What the linter proposes for the field on this GPU: value, and the rule that asks for it.
  const proposed = (field) => findingsOf(current).flatMap((finding) => (finding.proposals || []).flatMap((proposal) =>
    proposal.changes.filter((change) => change.field === field && typeof change.to === "number")
      .map((change) => ({ value: change.to, code: finding.code, gain: proposal.gain }))));

  // Values near the file's that reach more, the best first.
  function fillBetter(sweep) {
    const table = byId("better");
    table.replaceChildren();
    byId("better-text").textContent = "";
    const at = sweep.values.indexOf(sweep.own);
    const { key } = measure(sweep);
    if (at < 0 || isRun(sweep)) return;
    const asked = proposed(sweep.field);
    const isAsked = (row) => asked.some((each) => each.value === row.value);
    const better = sweep.values.map((value, i) => ({ value, gain: sweep[key][i] / sweep[key][at] - 1 }))
      .filter((row) => row.gain >= 0.005 && Math.abs(row.value - sweep.own) <= 0.15 * sweep.own)
      .sort((a, b) => b.gain - a.gain);
    // The best, and those that a finding asks for.
    const rows = better.filter((row, i) => i < 5 || isAsked(row));
    if (rows.length === 0) {
      byId("better-text").textContent = `No value near ${number(sweep.own, 8)} reaches 0.5 % more on this GPU.`;
      return;
    }
    byId("better-text").textContent = `Values near ${number(sweep.own, 8)} that reach more of this GPU, the best first; a larger model also computes more:`;
    const head = table.createTHead().insertRow();
    for (const title of [sweep.field, "TFLOPS", "more", "asked for by"]) head.append(make("th", title));
    const body = table.createTBody();
    for (const { value, gain } of rows) {
      const codes = [...new Set(asked.filter((each) => each.value === value).map((each) => each.code))].join(", ");
      const row = body.insertRow();
      for (const text of [number(value, 8), number(sweep[key][sweep.values.indexOf(value)]), "+" + percent(gain), codes || "-"]) {
        row.append(make("td", text));
      }
    }
  }

  const drawSweep = () => {
    const shown = sweepsOf(current).filter((sweep) => sweep.field === sweepField);
    byId("sweep").dataset.field = "";
    if (shown.length === 0) return Promise.resolve();
    const sweep = shown.find((each) => each.gpu === current.gpu) || shown[0];
    const { key, title } = measure(sweep);
    byId("sweep-text").textContent = `${sweep.doc[0].toUpperCase()}${sweep.doc.slice(1)}. Everything else as in the file` +
      (isRun(sweep) ? "." : ", but for what follows from it.") +
      (sweep.compute_bound_from ? ` On this GPU the products turn compute-bound from ${number(sweep.compute_bound_from, 8)} on.` : "") +
      (shown.some((each) => each.fits.includes(false)) ? " Hollow: does not fit into the GPU's memory." : "");
    // Of a model's dimension small differences count, on each GPU against what the file's value gives there.
    const againstFile = !isRun(sweep) && shown.every((each) => each.values.includes(each.own));
    const base = (each) => each[key][each.values.indexOf(each.own)];
    const data = shown.flatMap((each) => each.values.map((value, i) => ({
      gpu_name: each.gpu_name, value, y: againstFile ? 100 * (each[key][i] / base(each) - 1) : each[key][i], product_tflops: each.product_tflops[i],
      tokens_per_s_per_gpu: each.tokens_per_s_per_gpu[i], latency_ms: each.latency_us[i] / 1e3, bound: each.bound[i],
      fits: each.fits[i] })));
    const marks = [];
    const inRange = (value) => value >= sweep.values[0] && value <= sweep.values[sweep.values.length - 1];
    if (sweep.own && inRange(sweep.own)) marks.push({ value: sweep.own, label: `the file: ${number(sweep.own, 8)}` });
    for (const each of proposed(sweep.field)) {
      if (inRange(each.value) && !marks.some((mark) => mark.value === each.value)) {
        marks.push({ value: each.value, label: `${each.code}: ${number(each.value, 8)}` });
      }
    }
    marks.forEach((mark, i) => { mark.row = i; });
    const spec = structuredClone(specs.sweep);
    const { x, y } = spec.layer[0].encoding;
    x.title = fieldTitle(sweep);
    y.title = againstFile ? "products per time, against the file (%)" : title;
    const far = sweep.values[sweep.values.length - 1] > 8 * Math.max(1, sweep.values[0]);
    if (far) x.scale = sweep.values[0] > 0 ? { type: "log", base: 2, nice: false } : { type: "symlog", constant: 32, nice: false };
    if (far) x.axis = { values: sweep.values.filter((value, i) => Number.isInteger(Math.log2(value || 1)) && (!isNarrow() || i % 2 === 0)), format: ",d", labelOverlap: true };
    if (againstFile) y.scale = { zero: false };
    if (marks.length === 0) spec.layer.length = 2;
    fillBetter(sweep);
    return draw("sweep", spec, { points: data, marks }).then(() => { byId("sweep").dataset.field = sweepField; });
  };

  const columns = [
    ["operation", (op) => opName(op), (op) => opName(op), true],
    ["GFLOP", (op) => op.flops, (op) => op.flops ? number(op.flops / 1e9) : "-"],
    ["MB", (op) => op.bytes.dram, (op) => op.bytes.dram ? number(op.bytes.dram / 1e6) : "-"],
    ["FLOP/B", (op) => op.intensity_flop_per_byte.dram, (op) => op.flops ? number(op.intensity_flop_per_byte.dram) : "-"],
    ["roof TFLOPS", (op) => op.roof_tflops, (op) => op.flops ? number(op.roof_tflops) : "-"],
    ["TFLOPS", (op) => op.tflops, (op) => op.flops ? number(op.tflops) : "-"],
    ["of roof", (op) => op.share_of_roof, (op) => percent(op.share_of_roof)],
    ["bound by", (op) => op.bound, (op) => op.bound, true],
    ["runs", (op) => op.runs, (op) => number(op.runs)],
    ["time", (op) => op.time_us, (op) => time(op.time_us)],
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
    for (const op of [...current.ops].sort(order)) {
      const row = body.insertRow();
      row.dataset.op = opName(op);
      row.onclick = () => choose(row.dataset.op, false);
      for (const [, , text, isText] of columns) row.append(make("td", text(op), isText ? "text" : ""));
    }
  }

  function fillSummary() {
    const { step, plan } = current;
    byId("title").textContent = `${current.model || current.path} on ${current.gpu_name}`;
    byId("plan").textContent = `${current.path}: ${plan.mode}, micro-batch ${plan.micro_batch_size}, ` +
      (isNetwork(current) ? "" : plan.mode === "decode" ? `${number(plan.context_length, 8)} tokens in the cache, ` : `sequence length ${number(plan.sequence_length, 8)}, `) +
      `${plan.dtype}, tensor ${plan.tensor}, pipeline ${plan.pipeline}`;
    const room = current.gpu_memory_bytes;
    const full = Boolean(room) && current.memory_bytes > room;
    const cards = [["step", time(step.time_us)], ["bound by", step.bound],
                   [isNetwork(current) ? "images per second" : "tokens per second", number(step.tokens_per_s)],
                   [full ? `memory: does not fit into ${number(room / 1e9, 3)} GB` : `memory needed${room ? ` of ${number(room / 1e9, 3)} GB` : ""}`,
                    number(current.memory_bytes / 1e9, 3) + " GB", full ? "warned" : ""],
                   ["kernels", number(current.launches.kernels)]];
    if (plan.mode === "train") cards.splice(2, 0, ["MFU", percent(step.mfu)]);
    if (current.serving) cards.splice(2, 0, ["time to first token", time(current.serving.first_token_us)]);
    if (current.serving && plan.mode === "decode") cards.splice(2, 0, ["time per token", time(current.serving.token_us)]);
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
    for (const title of ["change", "against", "step", "throughput"]) head.append(make("th", title));
    const body = table.createTBody();
    for (const each of current.remedies) {
      const row = body.insertRow();
      for (const text of [each.change + (each.note ? ` (${each.note})` : ""), each.against, time(each.step_us),
                          "x" + number(each.throughput_ratio, 3)]) row.append(make("td", text));
    }
  }

  const findingsOf = (of) => lint.models.filter((model) => model.path === of.path && model.name === of.model)
    .flatMap((model) => model.findings).filter((finding) => !finding.gpu || finding.gpu === of.gpu);

  function fillFindings() {
    const swept = new Set(sweepsOf(current).map((sweep) => sweep.field));
    const items = findingsOf(current).map((finding) => {
      const item = make("div", undefined, "finding " + finding.severity);
      const first = make("div");
      first.append(make("span", `${finding.code} ${finding.rule}`, "code"), ": " + finding.message);
      item.append(first);
      if (finding.why) item.append(make("div", finding.why, "soft"));
      for (const proposal of finding.proposals || []) {
        const change = proposal.changes.map((each) => `${each.field} ${each.to}`).join(", ");
        const line = make("div", `try ${change}: ${percent(proposal.gain)} of the step `);
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
    const titles = ["model", "GPU", "step", per, "bound by", serves ? "first token" : "MFU", "memory", "best"];
    const head = table.createTHead().insertRow();
    titles.forEach((title, i) => head.append(make("th", title, i < 2 ? "text" : "")));
    const body = table.createTBody();
    roofline.cases.forEach((each, i) => {
      const share = each.step[each.step.bound + "_us"] / each.step.time_us;
      const best = [each.best_gpu && "* GPU", each.best_model && "+ model"].filter(Boolean).join(", ");
      const row = body.insertRow();
      row.className = each === current ? "chosen" : "";
      row.onclick = () => { byId("case").value = i; current = each; show(); };
      [each.model || each.path, each.gpu_name, time(each.step.time_us), number(each.tokens_per_s_per_gpu),
       `${each.step.bound} ${percent(share)}`, serves ? time(each.serving.first_token_us) : percent(each.step.mfu),
       number(each.memory_bytes / 1e9, 3) + " GB" + (each.fits ? "" : ", does not fit"), best || "-",
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
})();
