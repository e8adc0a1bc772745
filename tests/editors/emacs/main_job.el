;;; main_job.el --- Open, select, see, act, save  -*- lexical-binding: t; -*-

(load (expand-file-name "eglot.el" (file-name-directory load-file-name)) nil t)

(script-run
 (lambda ()
   (script-open "src/billing/invoice.py")
   (intent-lsp-eglot)
   (script-wait "attached" #'intent-lsp--eglot)
   (script-wait-for-mode-line "no intent")
   (script-report "attached" (list :mode (symbol-name major-mode)
                               :eglot (script-bool (eglot-managed-p))))

   (intent-lsp-select "INT-001")
   (script-wait-for-mode-line "INT-001")
   (script-type "line 3" "line three")
   (script-send-changes)
   (script-report "violation" (script-shows 1))
   (script-report "actions" (vconcat (mapcar (lambda (each) (plist-get each :title)) (script-actions))))

   (script-act "Revert these lines")
   (script-shows 0)
   (script-report "reverted" (script-text))

   (script-type "line 3" "line three")
   (script-send-changes)
   (script-shows 1)
   (script-act "Select intent INT-002 (owns this file)")
   (script-wait-for-mode-line "INT-002")
   (script-shows 0)
   (script-save)
   (script-report "saved" (list :record (script-traced 1) :disk (script-disk)))

   ;; Chosen among the open ones.
   (setq script-answers '("INT-001: Login"))
   (call-interactively #'intent-lsp-select)
   (script-wait-for-mode-line "INT-001")
   (script-report "chosen" (vconcat script-asked))

   ;; Another file of another mode, the same server; no keystroke after a save.
   (let ((server (eglot-current-server)))
     (script-open "README.md")
     (script-report "beside" (list :same (script-bool (eq server (eglot-current-server)))
                               :mode (symbol-name major-mode))))
   (goto-char (point-max))
   (insert "More.\n")
   (script-save)
   (script-report "unowned" (list :record (script-traced 2) :shown (script-shows 1)))

   (intent-lsp-status)
   (script-report "status" (car script-messages))
   (intent-lsp-clear)
   (script-wait-for-mode-line "no intent")))
