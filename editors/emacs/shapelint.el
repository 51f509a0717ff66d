;;; shapelint.el --- Starts `shapelint lsp' through Eglot -*- lexical-binding: t -*-

;; For your init file. Eglot is part of Emacs 29; for 28 it is a package (Debian: elpa-eglot).
(require 'eglot)

(add-to-list 'eglot-server-programs
             '((conf-toml-mode toml-ts-mode yaml-mode yaml-ts-mode js-json-mode json-mode json-ts-mode)
               . ("shapelint" "lsp"))) ; "--gpu" "h100" behind it names the GPU for every file

;; Emacs 28 takes JSON for JavaScript.
(unless (fboundp 'js-json-mode)
  (define-derived-mode js-json-mode js-mode "JSON")
  (add-to-list 'auto-mode-alist '("\\.json\\'" . js-json-mode)))

(dolist (hook '(conf-toml-mode-hook toml-ts-mode-hook yaml-mode-hook yaml-ts-mode-hook js-json-mode-hook json-mode-hook
                json-ts-mode-hook))
  (add-hook hook #'eglot-ensure))

(provide 'shapelint)
;;; shapelint.el ends here
