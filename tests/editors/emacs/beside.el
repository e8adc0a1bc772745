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
                  :new-connection (lsp-stdio-connection (lambda () (plist-get script-given :tiny)))
                  :major-modes '(python-mode)))

(defun script-problems ()
  "Give the problems of the buffer's file: message, code, and what they mark."
  (vconcat (seq-mapcat
            (lambda (each)
              (list (list :message (lsp:diagnostic-message each)
                          :code (format "%s" (lsp:diagnostic-code? each)))))
            (gethash (file-truename buffer-file-name) (lsp-diagnostics)))))

(script-run
 (lambda ()
   (script-open "src/billing/invoice.py")
   (let ((default-directory (file-name-directory buffer-file-name)))
     (lsp))
   (script-wait "attached" (lambda ()
                            (= 2 (length (seq-filter (lambda (each)
                                                       (eq 'initialized (lsp--workspace-status each)))
                                                     (lsp-workspaces))))))
   (script-report "servers" (vconcat (sort (mapcar (lambda (each)
                                                 (symbol-name (lsp--workspace-server-id each)))
                                               (lsp-workspaces))
                                       #'string<)))
   (script-wait-for-mode-line "no intent")
   (intent-lsp-select "INT-001")
   (script-wait-for-mode-line "INT-001")
   (script-type "line 3" "line three")
   (script-report "violation" (script-wait "problem" (lambda ()
                                                  (let ((shown (script-problems)))
                                                    (and (> (length shown) 0) shown)))))
   (lsp-execute-code-action
    (seq-find (lambda (each)
                (equal (lsp:code-action-title each) "Select intent INT-002 (owns this file)"))
              (lsp-code-actions-at-point)))
   (script-wait-for-mode-line "INT-002")
   (script-save)
   (script-report "saved" (list :record (script-traced 1) :disk (script-disk)))))
