;;; block.el --- A save that is refused, with nothing lost  -*- lexical-binding: t; -*-

(load (expand-file-name "eglot.el" (file-name-directory load-file-name)) nil t)

(script-run
 (lambda ()
   (script-open "src/billing/invoice.py")
   (intent-lsp-eglot)
   (script-wait "attached" #'intent-lsp--eglot)
   (intent-lsp-select "INT-001")
   (script-wait-for-mode-line "INT-001")

   ;; Saved at once: what was typed a moment ago has to be sent first.
   (setq script-answers '("Restore and expand scope"))
   (script-type "line 3" "line three")
   (script-save)
   (script-report "refused" (list :text (script-text) :disk (script-disk)
                              :modified (script-bool (buffer-modified-p))))
   (script-wait "asked" (lambda () script-asked))
   (script-report "asked" (vconcat script-asked))
   (script-wait "restored" (lambda () (string-search "line three" (script-text))))
   (script-report "restored" (list :disk (script-disk) :shown (length (or (script-problems) []))))
   (script-save)
   (script-report "saved" (list :record (script-traced 1) :disk (script-disk)))))
