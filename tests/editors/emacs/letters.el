;;; letters.el --- Columns where letters take one, two or four units  -*- lexical-binding: t; -*-

(load (expand-file-name "eglot.el" (file-name-directory load-file-name)) nil t)

(story-run
 (lambda ()
   (prefer-coding-system 'utf-8-unix)
   (story-open "src/billing/preis.txt")
   (intent-lsp-eglot)
   (story-wait "attached" #'intent-lsp--eglot)
   (intent-lsp-select "INT-001")
   (story-stands "INT-001")
   (story-type "alle" "viele")
   (story-tell)
   (story-say "marked" (story-shows 1))
   (story-act "Revert these lines")
   (story-shows 0)
   (story-say "reverted" (story-text))

   ;; Typed within a line, after letters of every width, and told piece by piece.
   (story-type "5 €" "5 🙂€ und ü")
   (story-tell)
   (story-type "ü" "🙂")
   (story-tell)
   (story-say "typed" (story-shows 1))
   ;; Where a problem of the text before ends now: in the middle of a letter.
   (story-say "within a letter"
              (buffer-substring-no-properties
               (point-min) (eglot--lsp-position-to-point '(:line 0 :character 18))))
   (story-save)
   (story-say "saved" (list :record (story-traced 1) :disk (story-disk)))))
