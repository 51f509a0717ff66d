// Draws the roofline and the losses of the chosen case.
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
    renderer: "svg", ast: true /* expressions are interpreted: the page's policy lets nothing be compiled */, actions: { export: true, source: false, compiled: false, editor: false },
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

const points = (of) => of.operations
  .filter((op) => op.intensity_flop_per_byte[level] > 0 && op.tflops > 0)
  .map((op) => ({ op: opName(op), intensity: op.intensity_flop_per_byte[level], tflops: op.tflops,
                  roof_tflops: op.roof_tflops, share_of_roof: op.share_of_roof, bound: op.bound,
                  share_of_step: op.share_of_step }));

// Lines of the roofs that matter: of the level looked at, and of the units that run something.
function roofs(of, marks) {
  const used = (roof) => of.operations.some((op) => op.flops > 0 && op.dtype === roof.dtype && op.cores === roof.cores);
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
        labels.push({ roof: narrow ? `${roof.split(",")[0]} ${number(peak)} TFLOP/s` : roof, intensity: high, tflops: peak });
      }
    }
  };
  const achieved = Math.max(...ceilings.map((roof) => roof.achieved_tflops || 0));
  if (memory && memory.gb_s) add(`${levels[level]} ${number(memory.gb_s)} GB/s`, "data sheet", memory.gb_s, 0, highest);
  if (memory && memory.achieved_gb_s && achieved) {
    add(`${levels[level]} ${number(memory.achieved_gb_s)} GB/s`, "achieved", memory.achieved_gb_s, 0, achieved);
  }
  for (const roof of ceilings) {
    const name = `${roof.dtype}, ${roof.cores === "tensor" ? "tensor" : "CUDA"} cores`;
    add(`${name} ${number(roof.tflops)} TFLOP/s`, "data sheet", 0, roof.tflops);
    if (roof.achieved_tflops) add(`${name} ${number(roof.achieved_tflops)} TFLOP/s`, "achieved", 0, roof.achieved_tflops);
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

// Kinds of losses with the same names and colours as in SVG (src/chart/figures.cpp). A loss of none is of the stack.
const lossKinds = [
  { kind: "model FLOPs", colour: "#009e73", losses: ["model FLOPs at peak"] },
  { kind: "other FLOPs and DRAM traffic", colour: "#56b4e9", losses: ["other FLOPs at peak", "DRAM traffic"] },
  { kind: "shape: alignment, tiles, waves", colour: "#d55e00", losses: ["alignment", "tile quantization", "wave quantization"] },
  { kind: "kernels below the roofline", colour: "#e69f00", losses: ["kernels below peak", "bandwidth below peak"] },
  { kind: "launch overhead", colour: "#cc79a7", losses: ["launch latency"] },
  { kind: "communication and bubble", colour: "#0072b2", losses: ["communication", "bubble and stragglers"] },
  { kind: "stack", colour: "#8c6bb1", losses: [] },
  { kind: "hidden", colour: "#d8dee4", losses: [] },
  { kind: "the step", colour: "#7d8590", losses: [] },
];
const kindOf = (loss) => (lossKinds.find((each) => each.losses.includes(loss)) ?? { kind: "stack" }).kind;

const drawWaterfall = () => {
  const total = current.step.step_us;
  let sum = 0;
  const losses = current.losses.filter((each) => Math.abs(each.time_us) >= total / 1000).map((each) => {
    const begin = sum;
    sum += each.time_us;
    return { name: each.name, kind: kindOf(each.name), begin_ms: begin / 1e3, end_ms: sum / 1e3,
             edge_ms: Math.max(begin, sum) / 1e3, time_ms: each.time_us / 1e3, share: each.time_us / total };
  });
  const hidden = current.step.hidden_us;
  if (hidden >= total / 1000) {
    losses.push({ name: "overlapped communication (hidden)", kind: "hidden", begin_ms: Math.max(0, total - hidden) / 1e3,
                  end_ms: total / 1e3, edge_ms: total / 1e3, time_ms: hidden / 1e3, share: hidden / total });
  }
  losses.push({ name: "the step", kind: "the step", begin_ms: 0, end_ms: total / 1e3, edge_ms: total / 1e3,
                time_ms: total / 1e3, share: 1 });
  const spec = { ...structuredClone(specs.waterfall), height: 28 * losses.length };
  const shown = lossKinds.filter((each) => losses.some((loss) => loss.kind === each.kind));
  spec.layer[0].encoding.color.scale = { domain: shown.map((each) => each.kind), range: shown.map((each) => each.colour) };
  // Room for the share behind the last bar.
  spec.layer[0].encoding.x.scale = { domainMax: (isNarrow() ? 1.3 : 1.08) * Math.max(...losses.map((each) => each.edge_ms)), nice: false };
  // A legend is wider than a telephone: each bar says its part when it is touched.
  if (isNarrow()) {
    spec.layer[0].encoding.color.legend = null;
    spec.layer[0].encoding.y.axis.labelLimit = 150;
  }
  return draw("waterfall", spec, { losses });
};
