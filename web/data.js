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
const number = (value, digits = 4) =>
  value === null || value === undefined ? "-" : Number(value.toPrecision(digits)).toLocaleString("en-US",
    { maximumSignificantDigits: digits });
const percent = (share) => (100 * share).toFixed(1) + " %";
const time = (us) => us < 0 ? "-" + time(-us) : us >= 1e6 ? number(us / 1e6, 3) + " s" : us >= 1e3 ? number(us / 1e3, 3) + " ms" : number(us, 3) + " us";
const short = { forward: "", recompute: " re", grad_input: " dx", grad_weight: " dw", backward: " bwd", update: " upd" };
const isNetwork = (of) => of.step.produces === "images";
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

const findingsOf = (of) => {
  const ids = new Set(lint.models.filter((model) => model.path === of.path && model.name === of.model).map((model) => model.id));
  return lint.findings.filter((finding) => ids.has(finding.model) && (!finding.gpu || finding.gpu === of.gpu));
};
