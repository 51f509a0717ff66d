// Fills the page from the two documents that it carries: the roofline report and the lint report, which are what
// `shapelint roofline --format json` and `shapelint lint --format json` print.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { roofline, lint } = read("data");
  const specs = read("specs");
  const byId = (id) => document.getElementById(id);
  const number = (value, digits = 4) =>
    value === null || value === undefined ? "-" : Number(value.toPrecision(digits)).toLocaleString("en-US",
      { maximumSignificantDigits: digits });
  const percent = (share) => (100 * share).toFixed(1) + " %";
  const time = (us) => us < 0 ? "-" + time(-us) : us >= 1e6 ? number(us / 1e6, 3) + " s" : us >= 1e3 ? number(us / 1e3, 3) + " ms" : number(us, 3) + " us";
  const short = { forward: "", recompute: " re", grad_input: " dx", grad_weight: " dw", backward: " bwd", update: " upd" };
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
  let redraw = Promise.resolve();

  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), soft: of("--soft"), rule: of("--rule"), paper: of("--paper") };
  };

  async function draw(id, spec, data, onView) {
    if (!window.vegaEmbed) return;  // built without it: the still picture stays
    const colour = colours();
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
        legend: { labelColor: colour.ink, titleColor: colour.ink },
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
    const lowest = Math.min(...marks.map((mark) => mark.tflops), ...ceilings.map((roof) => roof.tflops / 10));
    const add = (roof, basis, gbS, peak, top) => {
      if (gbS) {
        lines.push({ roof, basis, intensity: low, tflops: low * gbS / 1e3 },
                   { roof, basis, intensity: top * 1e3 / gbS, tflops: top });
        if (basis === "data sheet") {
          const middle = Math.sqrt(Math.max(low, lowest * 1e3 / gbS) * top * 1e3 / gbS);
          labels.push({ roof, intensity: middle, tflops: middle * gbS / 1e3 });
        }
      } else {
        const from = memory && memory.gb_s ? Math.max(low, peak * 1e3 / memory.gb_s) : low;
        lines.push({ roof, basis, intensity: from, tflops: peak }, { roof, basis, intensity: high, tflops: peak });
        if (basis === "data sheet") labels.push({ roof, intensity: high, tflops: peak });
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
    spec.layer[0].encoding.x.scale.domain = x;
    spec.layer[0].encoding.y.scale.domain = y;
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

  const drawSweep = () => {
    const curves = roofline.curves.filter((curve) => curve.path === current.path && curve.model === current.model);
    byId("sweep-section").hidden = curves.length === 0 || !window.vegaEmbed;
    if (curves.length === 0) return Promise.resolve();
    const field = curves[0].field;
    // Where the model changes with the field, tokens compare different models: arithmetic says more.
    const samePlan = ["micro_batch_size", "sequence_length", "context_length", "gradient_accumulation"].includes(field);
    byId("sweep-text").textContent = `Throughput against ${field}, everything else as in the file.`;
    const data = curves.flatMap((curve) => curve.points.map((point) => ({
      gpu_name: curve.gpu_name, value: point.value, product_tflops: point.product_tflops, tokens_per_s_per_gpu: point.tokens_per_s_per_gpu,
      step_ms: point.step.time_us / 1e3, bound: point.step.bound })));
    const spec = structuredClone(specs.sweep);
    spec.encoding.x.title = field;
    if (!samePlan) {
      Object.assign(spec.encoding.y, { field: "product_tflops", title: "matrix products per time of the step (TFLOPS)" });
    }
    const values = curves[0].points.map((point) => point.value);
    const even = values.length < 3 || values[2] - values[1] === values[1] - values[0];
    if (!even && values[0] > 0) Object.assign(spec.encoding.x.scale, { type: "log", base: 2 });
    return draw("sweep", spec, { points: data });
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
      `sequence length ${number(plan.sequence_length, 8)}, ${plan.dtype}, tensor ${plan.tensor}, pipeline ${plan.pipeline}`;
    const cards = [["step", time(step.time_us)], ["bound by", step.bound], ["MFU", percent(step.mfu)],
                   ["tokens per second", number(step.tokens_per_s)],
                   ["memory needed", number(current.memory_bytes / 1e9, 3) + " GB"],
                   ["kernels", number(current.launches.kernels)]];
    if (current.serving) cards.push(["time per token", time(current.serving.token_us)]);
    byId("summary").replaceChildren(...cards.map(([label, value]) => {
      const card = make("div");
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

  function fillFindings() {
    const models = lint.models.filter((model) => model.path === current.path && model.name === current.model);
    const found = models.flatMap((model) => model.findings)
      .filter((finding) => !finding.gpu || finding.gpu === current.gpu);
    const items = found.map((finding) => {
      const item = make("div", undefined, "finding " + finding.severity);
      const first = make("div");
      first.append(make("span", `${finding.code} ${finding.rule}`, "code"), ": " + finding.message);
      item.append(first);
      if (finding.why) item.append(make("div", finding.why, "soft"));
      for (const proposal of finding.proposals || []) {
        const change = proposal.changes.map((each) => `${each.field} ${each.to}`).join(", ");
        item.append(make("div", `try ${change}: ${percent(proposal.gain)} of the step`));
      }
      return item;
    });
    byId("findings").replaceChildren(...(items.length ? items : [make("p", "nothing found", "soft")]));
  }

  function show() {
    fillSummary();
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
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
})();
