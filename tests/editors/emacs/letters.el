;;; letters.el --- Columns where letters take one, two or four units  -*- lexical-binding: t; -*-

(load (expand-file-name "eglot.el" (file-name-directory load-file-name)) nil t)

(script-run
 (lambda ()
   (prefer-coding-system 'utf-8-unix)
   (script-open "src/billing/preis.txt")
   (intent-lsp-eglot)
   (script-wait "attached" #'intent-lsp--eglot)
   (intent-lsp-select "INT-001")
   (script-wait-for-mode-line "INT-001")
   (script-type "alle" "viele")
   (script-send-changes)
   (script-report "marked" (script-shows 1))
   (script-act "Revert these lines")
   (script-shows 0)
   (script-report "reverted" (script-text))

   ;; Typed within a line, after letters of every width, and sent piece by piece.
   (script-type "5 €" "5 🙂€ und ü")
   (script-send-changes)
   (script-type "ü" "🙂")
   (script-send-changes)
   (script-report "typed" (script-shows 1))
   ;; Where a problem of the text before ends now: in the middle of a letter.
   (script-report "within a letter"
              (buffer-substring-no-properties
               (point-min) (eglot--lsp-position-to-point '(:line 0 :character 18))))
   (script-save)
   (script-report "saved" (list :record (script-traced 1) :disk (script-disk)))))
