// The playground: a text, a GPU and a plan in, findings, pictures and better shapes out.
import { Editor, guessName } from "./editor.js";
import { Engine } from "./engine.js";
import { linkOf, stateOf } from "./link.js";
import { byId, make, showBetter, showFindings, showPictures, showRead, showSummary } from "./show.js";

const planFields = ["mode", "micro_batch_size", "sequence_length", "context_length", "dtype", "attention", "recompute",
  "tensor", "pipeline", "data", "expert", "context", "zero"];
const firstGpu = "a100-sxm4-80gb";
const patience = 120;  // milliseconds without a key before the text is looked at
const examples = JSON.parse(byId("examples").textContent);

let engine;
let due;
const editor = new Editor(byId("editor"), { onChange: () => look(patience) });

const plan = () => Object.fromEntries(planFields.map((field) => [field, byId("plan-" + field).value.trim()]).filter(([, value]) => value));
const question = () => {
  const args = ["--gpu", byId("gpu").value];
  for (const [field, value] of Object.entries(plan())) args.push("--" + field.replaceAll("_", "-"), value);
  return { name: byId("name").value.replace(/^\/+/, "") || "model.toml", text: editor.text, args,
    options: { gpu: byId("gpu").value, settings: plan(), isolated: true } };
};
const state = () => ({ name: byId("name").value, text: editor.text, gpu: byId("gpu").value, plan: plan() });

function look(wait = 0) {
  byId("findings").setAttribute("aria-busy", "true");
  clearTimeout(due);
  due = setTimeout(ask, wait);
}

function stale(is) {
  for (const id of ["summary", "better-section", "pictures"]) byId(id).classList.toggle("stale", is);
}

async function ask() {
  stale(true);
  const asked = question();
  const answer = await engine.call("lint", { ...asked, options: { ...asked.options, min_severity: "info", with_fields: true } });
  if (!answer) return;
  const nothing = { findings: [], problems: [], notes: [], models: [], steps: [] };
  const isBlank = asked.text.trim() === "";
  const result = isBlank ? nothing : answer.value ?? { ...nothing, problems: answer.problems };
  showFindings(result, { editor });
  showSummary(result);
  showRead(result);
  showPlan(result);
  if (asked.text === editor.text) {
    editor.mark([
      ...result.findings.map((each) => ({ range: each.range, severity: each.severity, message: `${each.message}${each.cost ? `\ncosts ${each.cost}` : ""} [${each.code}]`,
        actions: each.proposals.filter((proposal) => proposal.edits.length > 0).slice(0, 2).map((proposal) => ({
          name: proposal.changes.map((change) => `${change.field} ${change.after}`).join(", "), apply: () => editor.edit(proposal.edits) })) })),
      ...result.problems.map((each) => ({ range: each.range, severity: "error", message: each.message + (each.hint ? `\n${each.hint}` : "") })),
    ]);
  }
  byId("findings").setAttribute("aria-busy", "false");
  document.body.dataset.seen = String(Number(document.body.dataset.seen ?? 0) + 1);
  if (result.problems.length > 0) return;  // what was there before stays, faded, while something is being typed
  if (result.steps.length === 0) {
    showBetter(null);
    showPictures(null);
    return;
  }
  engine.call("pictures", asked).then((pictures) => {
    if (pictures) { showPictures(pictures.value); byId("pictures").classList.remove("stale"); }
  });
  engine.call("suggest", { ...asked, options: { ...asked.options, top: 5 } }).then((better) => {
    if (better) { showBetter(better.value ?? better, apply); byId("better-section").classList.remove("stale"); }
  });
  byId("summary").classList.remove("stale");
}

// What the file says of the plan stands, greyed, where nothing else is asked for.
function showPlan({ models }) {
  const values = new Map(Object.entries(models[0]?.fields ?? {}).map(([field, { value }]) => [field, String(value ?? "")]));
  for (const field of planFields) {
    const input = byId("plan-" + field);
    const said = values.get(field) ?? "";
    if (input.tagName === "SELECT") input.options[0].textContent = said && !input.value ? said : "as the file says";
    else input.placeholder = said;
  }
  byId("plan-summary").textContent = Object.entries(plan()).map(([field, value]) => `${field} ${value}`).join(", ");
}

async function apply(number) {
  const answer = await engine.call("applied", { ...question(), number });
  if (answer?.value) editor.text = answer.value;
  else if (answer) tell(answer.problems[0].message.split("\n")[0]);
}

function tell(text) {
  byId("told").textContent = text;
  setTimeout(() => { if (byId("told").textContent === text) byId("told").textContent = ""; }, 4000);
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    tell(said);
  } catch {
    const area = make("textarea", "visually-hidden");
    area.value = text;
    document.body.append(area);
    area.select();
    tell(document.execCommand("copy") ? said : "the browser does not let this page copy");
    area.remove();
  }
}

function setText(text, name) {
  byId("name").value = name ?? guessName(text);
  byId("example").value = examples.find((each) => each.text === text)?.name ?? "";
  editor.text = text;
  editor.name = byId("name").value;
}

function setState({ name, text, gpu, plan: wanted }) {
  setText(text, name);
  if ([...byId("gpu").options].some((option) => option.value === gpu)) byId("gpu").value = gpu;
  for (const field of planFields) byId("plan-" + field).value = wanted[field] ?? "";
  byId("plan").open = Object.keys(wanted).length > 0;
}

function fillControls(gpus, fields) {
  const groups = new Map();
  for (const gpu of gpus) {
    if (!groups.has(gpu.architecture)) groups.set(gpu.architecture, []);
    groups.get(gpu.architecture).push(new Option(gpu.name.replace(/^(NVIDIA|AMD) /, ""), gpu.id));
  }
  for (const [architecture, options] of groups) {
    const group = make("optgroup", "", ...options);
    group.label = architecture;
    byId("gpu").append(group);
  }
  byId("gpu").value = firstGpu;
  const byName = new Map(fields.map((field) => [field.name, field]));
  for (const name of planFields) {
    const field = byName.get(name);
    const input = field.type === "choice" ? make("select", "", new Option("as the file says", ""), ...field.choices.map((choice) => new Option(choice))) : make("input");
    if (input.tagName === "INPUT") Object.assign(input, { inputMode: "numeric", size: 8 });
    input.id = "plan-" + name;
    input.oninput = () => look(patience);
    const label = make("label", "", name.replaceAll("_", " "), input);
    label.title = field.doc;
    byId("plan-fields").append(label);
  }
  byId("example").append(new Option("—", ""), ...examples.map(({ name }) => new Option(name)));
}

function listen() {
  byId("controls").onsubmit = (event) => event.preventDefault();
  byId("gpu").onchange = () => look();
  byId("example").onchange = (event) => {
    const found = examples.find(({ name }) => name === event.target.value);
    if (found) setText(found.text, found.name);
  };
  byId("name").oninput = () => { editor.name = byId("name").value; look(patience); };
  byId("copy").onclick = () => copy(editor.text, "copied");
  byId("share").onclick = async () => {
    const link = await linkOf(state());
    if (!link) return tell("the text is too long for a link");
    history.replaceState(null, "", link);
    await copy(link, "the link is copied");
  };
  const take = async (file) => { if (file) setText(await file.text(), file.name); };
  byId("file").onchange = (event) => take(event.target.files[0]);
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    take(event.dataTransfer.files[0]);
  }, true);
  // A whole text that replaces another is named by what it looks like.
  byId("editor").addEventListener("paste", (event) => {
    const before = editor.text;
    setTimeout(() => {
      const pasted = event.clipboardData.getData("text").replaceAll("\r\n", "\n");  // as the editor holds it
      if (before.trim() === "" || editor.text === pasted) { byId("name").value = guessName(pasted); editor.name = byId("name").value; look(); }
    });
  }, true);
  addEventListener("hashchange", async () => { const held = await stateOf(location.hash); if (held) setState(held); });
}

try {
  engine = await Engine.start();
  const [gpus, fields, version] = await Promise.all(["gpus", "fields", "version"].map((each) => engine.call(each)));
  fillControls(gpus.value, fields.value);
  byId("version").textContent = version.value;
  listen();
  const held = await stateOf(location.hash);
  if (held) setState(held);
  else setText(examples[0].text, examples[0].name);
  document.body.dataset.ready = "yes";
} catch (problem) {
  byId("findings").replaceChildren(make("p", "finding error", `This browser cannot run the page: ${problem.message}`));
}
