;;; init.el --- A person's init.el, as client-configs/README.md tells them to write it  -*- lexical-binding: t; -*-

(load (getenv "SCRIPT_HARNESS") nil t)
(add-to-list 'load-path (plist-get script-given :config))
(setq intent-lsp-command (plist-get script-given :cmd))
(require 'intent-lsp)
(add-hook 'intent-lsp-functions #'script-note-notification)

;;; init.el ends here
