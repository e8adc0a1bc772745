;;; main_job.el --- Open, select, see, act, save  -*- lexical-binding: t; -*-

(load (expand-file-name "eglot.el" (file-name-directory load-file-name)) nil t)

(story-run
 (lambda ()
   (story-open "src/billing/invoice.py")
   (intent-lsp-eglot)
   (story-wait "attached" #'intent-lsp--eglot)
   (story-stands "no intent")
   (story-say "attached" (list :mode (symbol-name major-mode)
                               :eglot (story-bool (eglot-managed-p))))

   (intent-lsp-select "INT-001")
   (story-stands "INT-001")
   (story-type "line 3" "line three")
   (story-tell)
   (story-say "violation" (story-shows 1))
   (story-say "actions" (vconcat (mapcar (lambda (each) (plist-get each :title)) (story-actions))))

   (story-act "Revert these lines")
   (story-shows 0)
   (story-say "reverted" (story-text))

   (story-type "line 3" "line three")
   (story-tell)
   (story-shows 1)
   (story-act "Select intent INT-002 (owns this file)")
   (story-stands "INT-002")
   (story-shows 0)
   (story-save)
   (story-say "saved" (list :record (story-traced 1) :disk (story-disk)))

   ;; Chosen among the open ones.
   (setq story-answers '("INT-001: Login"))
   (call-interactively #'intent-lsp-select)
   (story-stands "INT-001")
   (story-say "chosen" (vconcat story-asked))

   ;; Another file of another mode, the same server; no keystroke after a save.
   (let ((server (eglot-current-server)))
     (story-open "README.md")
     (story-say "beside" (list :same (story-bool (eq server (eglot-current-server)))
                               :mode (symbol-name major-mode))))
   (goto-char (point-max))
   (insert "More.\n")
   (story-save)
   (story-say "unowned" (list :record (story-traced 2) :shown (story-shows 1)))

   (intent-lsp-status)
   (story-say "status" (car story-said))
   (intent-lsp-clear)
   (story-stands "no intent")))
