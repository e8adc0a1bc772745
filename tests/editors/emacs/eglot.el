;;; eglot.el --- What scripts about Eglot need  -*- lexical-binding: t; -*-

(require 'eglot)
(require 'flymake)

(setq eglot-sync-connect 30
      eglot-autoshutdown nil
      ;; A person's own choice: what was chosen in a question is done without another.
      eglot-confirm-server-initiated-edits nil)

(defun script-send-changes ()
  "Send what was typed to the server, as Eglot does when a person pauses."
  (eglot--signal-textDocument/didChange))

(defun script-problems ()
  "Give the problems as Flymake shows them: code, first and last place as lines and columns."
  (vconcat
   (mapcar (lambda (each)
             (list :message (flymake-diagnostic-text each)
                   :type (symbol-name (flymake-diagnostic-type each))
                   :marked (buffer-substring-no-properties (flymake-diagnostic-beg each)
                                                           (flymake-diagnostic-end each))))
           (flymake-diagnostics))))

(defun script-shows (count)
  "Wait until COUNT problems are shown; give them."
  (script-wait (format "%d problems" count)
              (lambda ()
                (flymake-start)
                (let ((problems (script-problems)))
                  (and (= (length problems) count) (or problems t))))))

(defun script-actions ()
  "Give the code actions at point."
  (append (eglot-code-actions (point) (point) nil) nil))

(defun script-act (title)
  "Do the code action TITLE at point."
  (let ((action (seq-find (lambda (each) (equal (plist-get each :title) title)) (script-actions))))
    (unless action
      (error "No action %s: %S" title (mapcar (lambda (each) (plist-get each :title))
                                              (script-actions))))
    (when-let ((edit (plist-get action :edit)))
      (eglot--apply-workspace-edit edit))
    (when-let ((command (plist-get action :command)))
      (eglot-execute-command (eglot-current-server) (intern (plist-get command :command))
                             (plist-get command :arguments)))
    (script-send-changes)))

(provide 'script-eglot)
