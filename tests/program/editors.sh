#!/bin/sh
# What editors/ holds, in the editors that are installed: diagnostics arrive in Neovim, the VS Code extension starts
# and ends the server (on a stub of the editor), Helix's snippet is TOML.
#   editors.sh SHAPELINT      exit 77: none of them is there
set -u
shapelint=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
looked=
# The editors start `shapelint`, whatever the given one is called.
mkdir "$folder/bin"
ln -s "$shapelint" "$folder/bin/shapelint"

if command -v nvim >/dev/null; then
  looked=yes
  mkdir "$folder/config"
  printf '[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50257\n' \
    >"$folder/model.toml"
  printf '[run]\nmicro_batch_size = 8\nsequence_length = 1024\n[lint]\ngpu = "a100"\n' >>"$folder/model.toml"
  cat >"$folder/wait.lua" <<'LUA'
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
local lines = {}
for _, each in ipairs(vim.diagnostic.get(0)) do
  table.insert(lines, string.format("%d:%d %s", each.lnum + 1, each.col + 1, (each.message:gsub("\n.*", ""))))
end
local edits = vim.lsp.buf_request_sync(0, "textDocument/codeAction", {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = { line = 4, character = 14 }, ["end"] = { line = 4, character = 14 } },
  context = { diagnostics = {} },
}, 20000)
for _, answer in pairs(edits or {}) do
  for _, action in ipairs(answer.result or {}) do table.insert(lines, "action: " .. action.title) end
end
vim.fn.writefile(lines, vim.env.OUT)
vim.cmd("qall!")
LUA
  (
    cd "$folder" || exit 1
    OUT="$folder/out" PATH="$folder/bin:$PATH" XDG_CONFIG_HOME="$folder/config" XDG_DATA_HOME="$folder" \
      XDG_STATE_HOME="$folder" XDG_CACHE_HOME="$folder" NVIM_LOG_FILE="$folder/log" \
      timeout 60 nvim --headless -i NONE -n -u "$source/editors/neovim/shapelint.lua" model.toml \
      -c "luafile $folder/wait.lua" >"$folder/err" 2>&1
  )
  for part in '50257 is no multiple of 64' 'action: vocab_size 50257 → 50304'; do
    if ! grep -qF -- "$part" "$folder/out"; then
      echo "FAILED: Neovim does not show: $part"
      cat "$folder/out" "$folder/err"
      failed=1
    fi
  done
else
  echo "skipped: nvim is not installed (Debian: neovim)"
fi

# Eglot is part of Emacs from 29 on, and a package before.
if command -v emacs >/dev/null && emacs --batch --eval "(require 'eglot)" >/dev/null 2>&1; then
  looked=yes
  mkdir "$folder/emacs"
  printf 'gpu = "a100"\n' >"$folder/emacs/.shapelint.toml"
  printf '[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50257\n' \
    >"$folder/emacs/model.toml"
  printf '[run]\nmicro_batch_size = 8\nsequence_length = 1024\n' >>"$folder/emacs/model.toml"
  printf '{\n"model_type": "gpt2", "n_embd": 768,\n"n_layer": 12,\n"n_head": 12, "n_positions": 1024,\n"vocab_size": 50257\n}\n' \
    >"$folder/emacs/config.json"
  cat >"$folder/wait.el" <<'LISP'
(run-hooks 'post-command-hook) ; as after a key: Eglot connects then
(let ((left 400))
  (while (and (> left 0) (not (flymake-diagnostics)))
    (setq left (1- left))
    (accept-process-output nil 0.05)
    (when flymake-mode (flymake-start nil))))
(dolist (each (flymake-diagnostics))
  (princ (format "%d %s\n" (line-number-at-pos (flymake-diagnostic-beg each)) (flymake-diagnostic-text each))))
LISP
  for file in model.toml config.json; do
    (
      cd "$folder/emacs" || exit 1
      PATH="$folder/bin:$PATH" HOME="$folder" timeout 60 emacs --batch -l "$source/editors/emacs/shapelint.el" \
        --eval "(setq eglot-sync-connect 20)" --eval "(find-file \"$file\")" -l "$folder/wait.el" \
        >"$folder/emacs.out" 2>"$folder/emacs.err"
    )
    if ! grep -q '^5 .*vocab_size. 50257 is no multiple of 64' "$folder/emacs.out"; then
      echo "FAILED: Emacs does not show the vocabulary's finding of $file"
      cat "$folder/emacs.out" "$folder/emacs.err"
      failed=1
    fi
  done
else
  echo "skipped: Emacs with Eglot is not installed (Debian: emacs-nox and elpa-eglot)"
fi

if command -v node >/dev/null; then
  looked=yes
  node "$source/tests/program/vscode.js" "$source/editors/vscode" "$shapelint" || failed=1
else
  echo "skipped: node is not installed (Debian: nodejs)"
fi

if command -v python3 >/dev/null && python3 -c 'import tomllib' 2>/dev/null; then
  looked=yes
  python3 - "$source/editors/helix/languages.toml" <<'PYTHON' || failed=1
import sys, tomllib
config = tomllib.load(open(sys.argv[1], "rb"))
server = config["language-server"]["shapelint"]
assert [server["command"], *server["args"]] == ["shapelint", "lsp"], server
assert all("shapelint" in each["language-servers"] for each in config["language"])
PYTHON
else
  echo "skipped: Helix's snippet is not read, Python has no tomllib"
fi
[ -n "$looked" ] || exit 77
[ "$failed" = 0 ] && echo "the editors show what they are told"
exit "$failed"
