;;; block.el --- A save that is refused, with nothing lost  -*- lexical-binding: t; -*-

(load (expand-file-name "eglot.el" (file-name-directory load-file-name)) nil t)

(story-run
 (lambda ()
   (story-open "src/billing/invoice.py")
   (intent-lsp-eglot)
   (story-wait "attached" #'intent-lsp--eglot)
   (intent-lsp-select "INT-001")
   (story-stands "INT-001")

   ;; Saved at once: what was typed a moment ago has to be told first.
   (setq story-answers '("Restore and expand scope"))
   (story-type "line 3" "line three")
   (story-save)
   (story-say "refused" (list :text (story-text) :disk (story-disk)
                              :modified (story-bool (buffer-modified-p))))
   (story-wait "asked" (lambda () story-asked))
   (story-say "asked" (vconcat story-asked))
   (story-wait "restored" (lambda () (string-search "line three" (story-text))))
   (story-say "restored" (list :disk (story-disk) :shown (length (or (story-problems) []))))
   (story-save)
   (story-say "saved" (list :record (story-traced 1) :disk (story-disk)))))
