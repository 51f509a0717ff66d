// What the other scripts of the page share: the two documents that it carries (the roofline report and the lint report,
// which are what `shapelint roofline --format json` and `shapelint lint --format json` print) with the sweeps, how values
// are written, and what the reader has chosen. The page's scripts are one scope, joined in the order data, charts, sweep,
// page.
// What the libraries write as HTML, where the browser asks for a policy: rows of tooltips, an icon, nothing. Any other
// element, and any attribute that is not listed, stays text.
const written = /<(?!\/?(?:table|tbody|tr|td|h2|svg|circle)(?: (?:class|viewBox|fill|stroke|stroke-width|stroke-linecap|stroke-linejoin|r|cx|cy)="[\w -]*")*>)/g;
if (window.trustedTypes) trustedTypes.createPolicy("default", { createHTML: (html) => html.replace(written, "&lt;") });

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const { roofline, lint, sweeps } = read("data");
const specs = read("specs");
const byId = (id) => document.getElementById(id);
// Whole digits stay, as they do in text: 14,945.
const number = (value, least = 4) => {
  if (value === null || value === undefined) return "-";
  if (value > 0 && value < 1e-3) return "< 0.001";
  const digits = Math.max(least, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return Number(value.toPrecision(digits)).toLocaleString("en-US", { maximumSignificantDigits: digits });
};
const percent = (share) => (100 * share).toFixed(1) + " %";
const three = (value) => value < 999.5 ? value.toPrecision(3) : number(value);
const time = (us) => us < 0 ? "-" + time(-us) : us === 0 ? "0 us" : us >= 1e6 ? three(us / 1e6) + " s" : us >= 1e3 ? three(us / 1e3) + " ms" : three(us) + " us";
const short = { forward: "", recompute: " re", grad_input: " dx", grad_weight: " dw", backward: " bwd", update: " upd" };
const isNetwork = (of) => of.step.produces === "images";
const opName = (op) => op.name + short[op.pass];
const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};
// On the GPU that is shown; the proposal's own gain is the mean over GPUs.
const gainOf = (proposal) => ((proposal.by_gpu || []).find((each) => each.gpu === current.gpu) || proposal).gain;
// Names between backticks, as code.
const withCode = (text) => text.split("`").map((part, i) => (i % 2 ? make("code", part) : part));
const levels = { dram: "DRAM", l2: "L2", shared: "shared memory" };
let level = "dram";
let current = roofline.cases[0];
let sweepField = "";  // the first of those there are
let redraw = Promise.resolve();

const findingsOf = (of) => {
  const ids = new Set(lint.models.filter((model) => model.path === of.path && model.name === of.model).map((model) => model.id));
  return lint.findings.filter((finding) => ids.has(finding.model) && (!finding.gpu || finding.gpu === of.gpu));
};
