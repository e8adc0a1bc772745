;;; beside.el --- lsp-mode, with another server on the same buffer  -*- lexical-binding: t; -*-

(require 'lsp-mode)
(require 'flymake)

(setq lsp-auto-guess-root t
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-enable-file-watchers nil
      lsp-lens-enable nil
      lsp-headerline-breadcrumb-enable nil
      lsp-enable-suggest-server-download nil
      lsp-idle-delay 0.01
      python-indent-guess-indent-offset nil)

(lsp-register-client
 (make-lsp-client :server-id 'tiny
                  :new-connection (lsp-stdio-connection (lambda () (plist-get story-given :tiny)))
                  :major-modes '(python-mode)))

(defun story-problems ()
  "Give the problems of the buffer's file: message, code, and what they mark."
  (vconcat (seq-mapcat
            (lambda (each)
              (list (list :message (lsp:diagnostic-message each)
                          :code (format "%s" (lsp:diagnostic-code? each)))))
            (gethash (file-truename buffer-file-name) (lsp-diagnostics)))))

(story-run
 (lambda ()
   (story-open "src/billing/invoice.py")
   (let ((default-directory (file-name-directory buffer-file-name)))
     (lsp))
   (story-wait "attached" (lambda ()
                            (= 2 (length (seq-filter (lambda (each)
                                                       (eq 'initialized (lsp--workspace-status each)))
                                                     (lsp-workspaces))))))
   (story-say "servers" (vconcat (sort (mapcar (lambda (each)
                                                 (symbol-name (lsp--workspace-server-id each)))
                                               (lsp-workspaces))
                                       #'string<)))
   (story-stands "no intent")
   (intent-lsp-select "INT-001")
   (story-stands "INT-001")
   (story-type "line 3" "line three")
   (story-say "violation" (story-wait "problem" (lambda ()
                                                  (let ((shown (story-problems)))
                                                    (and (> (length shown) 0) shown)))))
   (lsp-execute-code-action
    (seq-find (lambda (each)
                (equal (lsp:code-action-title each) "Select intent INT-002 (owns this file)"))
              (lsp-code-actions-at-point)))
   (story-stands "INT-002")
   (story-save)
   (story-say "saved" (list :record (story-traced 1) :disk (story-disk)))))
