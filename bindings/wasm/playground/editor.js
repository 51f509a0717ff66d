// The text, with squiggles under what the linter blames.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { yaml } from "@codemirror/lang-yaml";
import { StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const languages = {
  json: () => json(), jsonc: () => json(), yaml: () => yaml(), yml: () => yaml(), py: () => python(),
  toml: () => StreamLanguage.define(toml), sh: () => StreamLanguage.define(shell), slurm: () => StreamLanguage.define(shell),
};
// Colouring a text this long is not worth the wait.
const longestColoured = 300_000;

// A name for a text that came without one.
export function guessName(text) {
  const start = text.slice(0, 4000);
  if (/^\s*[{[]\s*["{\]}]/.test(start)) return "config.json";
  if (/^#!.*sh\b/.test(start) || /^\s*(torchrun|python3?|srun|deepspeed)\b/m.test(start) || /^\s*--[a-z]/m.test(start)) return "train.sh";
  if (/^\s*\[+[\w."-]+\]+\s*(#.*)?$/m.test(start) || /^[\w-]+\s*=\s*[\d"'\[{tf]/m.test(start) && !/^(import|from|def|class)\b/m.test(start)) return "model.toml";
  if (/^(import|from|def|class)\b/m.test(start)) return "train.py";
  return "train.yaml";
}

export class Editor {
  #language = new Compartment();
  #view;

  constructor(parent, { onChange }) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), bracketMatching(), highlightActiveLine(),
          highlightSelectionMatches(), lintGutter(), syntaxHighlighting(classHighlighter), this.#language.of([]),
          keymap.of([...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "the model's file", spellcheck: "false", autocapitalize: "off" }),
          EditorView.updateListener.of((update) => { if (update.docChanged) onChange(); }),
        ],
      }),
    });
  }

  get text() { return this.#view.state.doc.toString(); }
  set text(text) {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text }, scrollIntoView: true, selection: { anchor: 0 } });
  }

  set name(name) {
    const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
    const make = this.#view.state.doc.length > longestColoured ? undefined : languages[ending];
    this.#view.dispatch({ effects: this.#language.reconfigure(make ? make() : []) });
  }

  // Places count lines and code points from 1.
  #offset({ line, column }) {
    const doc = this.#view.state.doc;
    const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
    let at = 0;
    for (let left = column - 1; left > 0 && at < found.text.length; left -= 1) at += found.text.codePointAt(at) > 0xffff ? 2 : 1;
    return found.from + at;
  }
  span(range) { return { from: this.#offset(range.start), to: this.#offset(range.end) }; }

  mark(list) {
    const diagnostics = list.filter((each) => each.range).map(({ range, severity, message, actions }) => ({
      ...this.span(range), severity, message, source: "shapelint", actions }));
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  edit(edits) {
    const changes = edits.map(({ range, new_text: insert }) => ({ ...this.span(range), insert })).sort((a, b) => a.from - b.from);
    this.#view.dispatch({ changes, userEvent: "input.fix" });
    this.#view.focus();
  }

  show(range) {
    const { from, to } = this.span(range);
    this.#view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.#view.focus();
  }
}
