;;; init.el --- A person's init.el, as client-configs/README.md tells them to write it  -*- lexical-binding: t; -*-

(load (getenv "STORY_HARNESS") nil t)
(add-to-list 'load-path (plist-get story-given :config))
(setq intent-lsp-command (plist-get story-given :cmd))
(require 'intent-lsp)
(add-hook 'intent-lsp-functions #'story-hear)

;;; init.el ends here
