;;; harness.el --- What every script needs: actions, readings, waiting, the report  -*- lexical-binding: t; -*-

(require 'package)
(require 'json)
(require 'cl-lib)

;; A distribution's packages, which `-Q' leaves out.
(setq package-enable-at-startup nil)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)

(setq make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      vc-handled-backends '(Git)
      enable-local-variables :safe)

(defvar script-given (json-parse-string (getenv "SCRIPT_GIVEN") :object-type 'plist :array-type 'list))
(defvar script-step "begin")
(defvar script-received nil "Notifications of the server's own, newest first: (NAME . PARAMS).")
(defvar script-asked nil "Questions that were put to the person, oldest first.")
(defvar script-answers nil "What the person answers, oldest first.")
(defvar script-saving nil "Whether a save is under way.")

(defconst script-patience 30 "Seconds after which waiting fails.")

;; Report

(defun script-emit (line)
  (princ (concat (decode-coding-string (json-serialize line :null-object nil :false-object :false)
                                       'utf-8)
                 "\n")))

(defun script-report (step saw)
  "Report what is seen at a STEP."
  (setq script-step step)
  (script-emit (list :step step :saw saw)))

(defun script-run (script)
  "Run SCRIPT, and end Emacs after it."
  (condition-case wrong
      (funcall script)
    (error
     (script-emit (list :step script-step
                       :wrong (format "%S\nheard: %S\nasked: %S" wrong
                                      (mapcar #'car script-received) script-asked)))))
  (kill-emacs 0))

;; Waiting

(defun script-wait (step look)
  "Wait until LOOK gives something true, and give it."
  (setq script-step step)
  (let ((end (+ (float-time) script-patience)) seen)
    (while (not (setq seen (funcall look)))
      (when (> (float-time) end)
        (error "Waited in vain"))
      ;; What a person's idle moments do.
      (accept-process-output nil 0.02))
    seen))

(defun script-bool (value)
  (if value t :false))

;; What happened

(defun script-note-notification (name params)
  (push (cons name params) script-received))

(defun script-notifications (name)
  "Give the params of the notifications NAME so far, newest first."
  (mapcar #'cdr (seq-filter (lambda (each) (eq (car each) name)) script-received)))

(defun script-traced (count)
  "Wait for COUNT records; give the id of the newest."
  (intent-lsp--get (car (script-wait (format "%d records" count)
                                    (lambda ()
                                      (let ((records (script-notifications 'intent/didTrace)))
                                        (and (>= (length records) count) records)))))
                   "recordId"))

(defun script-wait-for-mode-line (said)
  "Wait until the mode line says SAID."
  (script-wait (concat "stands: " said) (lambda () (equal (intent-lsp-mode-line) said))))

;; What Emacs says at the bottom, newest first.
(defvar script-messages nil)
(define-advice message (:filter-return (said) script)
  (push said script-messages)
  said)

;; A person who is asked: Emacs asks by `completing-read'.
(define-advice completing-read (:override (prompt titles &rest _) script)
  (let ((answer (or (pop script-answers) (error "Asked without an answer: %s" prompt))))
    (setq script-asked
          (append script-asked
                  (list (list :prompt (substring-no-properties prompt)
                              :titles (vconcat (mapcar (lambda (each) (if (consp each) (car each) each))
                                                       titles))
                              :saving (script-bool script-saving)))))
    answer))

;; Actions and readings

(defun script-open (name)
  (find-file (expand-file-name name (plist-get script-given :root))))

(defun script-text ()
  (buffer-substring-no-properties (point-min) (point-max)))

(defun script-disk ()
  "Give what is on disk of the buffer's file."
  (let ((file buffer-file-name)
        (coding-system-for-read 'utf-8-unix))
    (with-temp-buffer
      (insert-file-contents file)
      (buffer-string))))

(defun script-type (old new)
  "Put NEW in the place of the first OLD."
  (goto-char (point-min))
  (search-forward old)
  (replace-match new t t)
  (goto-char (match-beginning 0)))

(defun script-save ()
  "Save as a person does."
  (let ((script-saving t)
        (inhibit-message t))
    (save-buffer)))

(provide 'harness)
