// What was found, as elements. Texts of files come in as text only, never as HTML.
export const byId = (id) => document.getElementById(id);
export const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};
export const number = (value, digits = 4) => value.toLocaleString("en-US", { maximumSignificantDigits: digits });
export const percent = (share) => (100 * share).toFixed(1) + " %";
export const time = (us) => us >= 1e6 ? number(us / 1e6, 3) + " s" : us >= 1e3 ? number(us / 1e3, 3) + " ms" : number(us, 3) + " µs";
export const count = (value) => value >= 1e12 ? number(value / 1e12) + " T" : value >= 1e9 ? number(value / 1e9) + " B" : value >= 1e6 ? number(value / 1e6) + " M" : number(value);

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const button = (text, onclick, label) => {
  const element = make("button", "", text);
  element.type = "button";
  element.onclick = onclick;
  if (label) element.setAttribute("aria-label", label);
  return element;
};

function findingElement(finding, { editor }) {
  const head = make("p", "", make("span", "code", `${finding.code} ${finding.rule}`), " ");
  if (finding.range && finding.path) {
    const where = button(`line ${finding.range.start.line}`, () => editor.show(finding.range));
    where.className = "where";
    head.append(where, " ");
  }
  const element = make("article", `finding ${finding.severity}`, head, make("p", "", finding.message));
  if (finding.label) element.append(make("p", "soft", finding.label));
  if (finding.cost) element.append(make("p", "cost", "costs " + finding.cost));
  if (finding.why) element.append(make("p", "soft small", finding.why));
  const list = make("ul");
  for (const proposal of finding.proposals) {
    const item = make("li");
    if (proposal.edits.length > 0) item.append(button("Apply", () => editor.edit(proposal.edits), `apply: ${proposal.summary}`));
    item.append(make("span", "", "fix: " + proposal.summary));
    list.append(item);
  }
  if (finding.how) list.append(make("li", "soft small", finding.how));
  if (list.childElementCount > 0) element.append(list);
  return element;
}

export function showFindings({ findings, problems, notes, models }, context) {
  const told = problems.map((error) => {
    const element = make("article", "finding error", make("p", "code", error.range ? `line ${error.range.start.line}: not understood` : "not understood"),
      make("p", "", error.message));
    if (error.hint) element.append(make("p", "soft small", error.hint));
    return element;
  });
  const [minor, major] = [findings.filter((each) => each.severity === "info"), findings.filter((each) => each.severity !== "info")];
  const elements = [...told, ...major.map((each) => findingElement(each, context))];
  if (elements.length === 0 && models.length > 0) {
    elements.push(make("p", "quiet", "Nothing here wastes time on this GPU, as far as the predictions go."));
  }
  if (minor.length > 0) {
    const more = make("details", "", make("summary", "soft", plural(minor.length, "further remark")), ...minor.map((each) => findingElement(each, context)));
    more.open = byId("findings").querySelector("details")?.open ?? false;
    elements.push(more);
  }
  for (const note of notes) elements.push(make("p", "soft small", note));
  byId("findings").replaceChildren(...elements);
  const parts = [problems.length > 0 && plural(problems.length, "error"), major.length > 0 && plural(major.length, "finding")].filter(Boolean);
  byId("count").textContent = parts.join(", ");
}

export function showSummary({ steps, models }) {
  const card = (label, value, className) => make("div", className ?? "", make("b", "", value), make("span", "", label));
  const step = steps[0];
  if (!step) return byId("summary").replaceChildren();
  const { after, memory } = step;
  const cards = [card("parameters", count(models.find((each) => each.id === step.model).parameters)), card("step", time(step.step_us)), card("MFU", percent(step.mfu)),
    card("bound by", step.bound), card(`${step.produces}/s per GPU`, count(step.tokens_per_s_per_gpu))];
  const [needs, has] = [memory.total_bytes / 1e9, (memory.capacity_bytes ?? 0) / 1e9];
  cards.push(card(has > 0 && needs > has ? `memory: does not fit ${number(has, 3)} GB` : `memory${has > 0 ? ` of ${number(has, 3)} GB` : ""}`,
    number(needs, 3) + " GB", has > 0 && needs > has ? "warned" : ""));
  if (after.applied.length > 0) cards.push(card(`with all fixes: ${percent(after.gain)} less`, time(after.step_us), "good"));
  byId("summary").replaceChildren(...cards);
}

export function showRead({ models }) {
  byId("read-section").hidden = models.length === 0;
  const rows = models.flatMap((model) => Object.entries(model.fields).filter(([, value]) => value.origin !== "unknown").map(([field, value]) =>
    make("tr", "", make("td", "", field), make("td", "number", String(value.value)),
      make("td", "soft", value.origin + (value.note ? `: ${value.note}` : value.key_path && value.key_path !== field ? `: ${value.key_path}` : "")))));
  byId("read").replaceChildren(make("tbody", "", ...rows));
}

export function showBetter(result, apply) {
  byId("better-section").hidden = !result;
  if (!result) return;
  const { suggestions, start, candidates, problems } = result;
  const table = byId("better");
  if (problems) {
    byId("better-text").textContent = problems.map((error) => `${error.message}${error.hint ? `; ${error.hint}` : ""}`).join(". ");
    return table.replaceChildren();
  }
  byId("better-text").textContent = suggestions.length > 0
    ? `The fastest of ${number(candidates, 3)} shapes with about as many parameters.` : `None of ${number(candidates, 3)} shapes near this one is faster.`;
  const changed = (changes) => changes.map((change) => `${change.field} ${change.before} → ${change.after}`).join(", ");
  const rows = suggestions.map((each, i) => make("tr", "",
    make("td", "number gain", `${percent(each.gain)}`), make("td", "", changed(each.changes)),
    make("td", "number", `${count(each.parameters)} (${percent(each.parameters / start.parameters - 1)})`),
    make("td", "", button("Apply", () => apply(i + 1), `apply: ${changed(each.changes)}`))));
  const head = make("tr", "", ...["saves", "change", "parameters", ""].map((title) => make("th", "", title)));
  table.replaceChildren(...(rows.length > 0 ? [make("thead", "", head), make("tbody", "", ...rows)] : []));
}

// As images: what is in them runs nothing and styles nothing else.
export function showPictures(pictures) {
  byId("pictures").hidden = !pictures?.roofline;
  if (!pictures?.roofline) return;
  for (const id of ["roofline", "waterfall"]) {
    const image = make("img");
    image.alt = `${id}: ` + (/<desc>([^<]*)/.exec(pictures[id])?.[1] ?? "");
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(pictures[id]);
    byId(id).replaceChildren(image);
  }
}
