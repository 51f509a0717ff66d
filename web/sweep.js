// The sweep over a field that the reader chooses, with the values that findings ask for and those that reach more.
// Fields that change how the model is run, not what it is: there tokens compare like with like; between different
// models arithmetic says more.
const isRun = (sweep) => sweep.section === "run" || sweep.section === "parallel";
const measure = (sweep) => isRun(sweep)
  ? { key: "tokens_per_s_per_gpu", title: `${isNetwork(current) ? "images" : "tokens"}/s/GPU` }
  : { key: "gemm_tflops", title: "GEMM throughput over the step (TFLOP/s)" };
const sweepsOf = (of) => sweeps.filter((sweep) => sweep.path === of.path && sweep.model === of.model);
// A network of layers reads images where the field's description has sequences.
const worded = (text) => isNetwork(current) ? text.replaceAll("sequences", "images") : text;
const fieldTitle = (sweep) => sweep.field.replaceAll("_", " ") + (sweep.unit ? ` (${worded(sweep.unit)})` : "");

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

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
  proposal.changes.filter((change) => change.field === field && typeof change.after === "number")
    .map((change) => ({ value: change.after, code: finding.code, gain: proposal.gain }))));

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
    byId("better-text").textContent = `No value near ${number(sweep.own, 8)} is more than 0.5 % faster on this GPU.`;
    return;
  }
  byId("better-text").textContent = `Values near ${number(sweep.own, 8)} with higher throughput on this GPU, the best first; a larger model also computes more:`;
  const head = table.createTHead().insertRow();
  for (const title of [sweep.field, "TFLOP/s", "more", "asked for by"]) head.append(make("th", title));
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
  byId("sweep-text").textContent = `${sentence(worded(sweep.doc))}. Everything else as in the file` +
    (isRun(sweep) ? "." : ", except values that follow from it.") +
    (sweep.compute_bound_from ? ` On this GPU GEMMs are compute-bound from ${number(sweep.compute_bound_from, 8)}.` : "") +
    (shown.some((each) => each.fits.includes(false)) ? " Hollow: does not fit into the GPU's memory." : "");
  // Of a model's dimension small differences count, on each GPU against what the file's value gives there.
  const againstFile = !isRun(sweep) && shown.every((each) => each.values.includes(each.own));
  const base = (each) => each[key][each.values.indexOf(each.own)];
  const data = shown.flatMap((each) => each.values.map((value, i) => ({
    gpu_name: each.gpu_name, value, y: againstFile ? 100 * (each[key][i] / base(each) - 1) : each[key][i], gemm_tflops: each.gemm_tflops[i],
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
  y.title = againstFile ? "GEMM throughput relative to the file (%)" : title;
  const far = sweep.values[sweep.values.length - 1] > 8 * Math.max(1, sweep.values[0]);
  if (far) x.scale = sweep.values[0] > 0 ? { type: "log", base: 2, nice: false } : { type: "symlog", constant: 32, nice: false };
  if (far) x.axis = { values: sweep.values.filter((value, i) => Number.isInteger(Math.log2(value || 1)) && (!isNarrow() || i % 2 === 0)), format: ",d", labelOverlap: true };
  if (againstFile) y.scale = { zero: false };
  // Colours in the order of the command line; what does not fit is hollow.
  const scale = spec.layer[0].encoding.stroke.scale;
  scale.domain = [...new Set(shown.map((each) => each.gpu_name))];
  for (const point of data) {
    point.inside = point.fits ? scale.range[scale.domain.indexOf(point.gpu_name) % scale.range.length] : colours().paper;
  }
  if (marks.length === 0) spec.layer.length = 2;
  fillBetter(sweep);
  return draw("sweep", spec, { points: data, marks }).then(() => { byId("sweep").dataset.field = sweepField; });
};
