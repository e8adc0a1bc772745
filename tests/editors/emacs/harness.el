;;; harness.el --- What every story needs: acts, sights, waiting, the report  -*- lexical-binding: t; -*-

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

(defvar story-given (json-parse-string (getenv "STORY_GIVEN") :object-type 'plist :array-type 'list))
(defvar story-step "begin")
(defvar story-heard nil "Notifications of the server's own, newest first: (NAME . PARAMS).")
(defvar story-asked nil "Questions that were put to the person, oldest first.")
(defvar story-answers nil "What the person answers, oldest first.")
(defvar story-saving nil "Whether a save is under way.")

(defconst story-patience 30 "Seconds after which what is waited for will not come.")

;; Report

(defun story-emit (line)
  (princ (concat (decode-coding-string (json-serialize line :null-object nil :false-object :false)
                                       'utf-8)
                 "\n")))

(defun story-say (step saw)
  "Report what is seen at a STEP."
  (setq story-step step)
  (story-emit (list :step step :saw saw)))

(defun story-run (story)
  "Run STORY to its end, and Emacs with it."
  (condition-case wrong
      (funcall story)
    (error
     (story-emit (list :step story-step
                       :wrong (format "%S\nheard: %S\nasked: %S" wrong
                                      (mapcar #'car story-heard) story-asked)))))
  (kill-emacs 0))

;; Waiting

(defun story-wait (step look)
  "Wait until LOOK gives something true, and give it."
  (setq story-step step)
  (let ((end (+ (float-time) story-patience)) seen)
    (while (not (setq seen (funcall look)))
      (when (> (float-time) end)
        (error "Waited in vain"))
      ;; What a person's idle moments do.
      (accept-process-output nil 0.02))
    seen))

(defun story-bool (value)
  (if value t :false))

;; What happened

(defun story-hear (name params)
  (push (cons name params) story-heard))

(defun story-told (name)
  "Give the params of the notifications NAME so far, newest first."
  (mapcar #'cdr (seq-filter (lambda (each) (eq (car each) name)) story-heard)))

(defun story-traced (count)
  "Wait for COUNT records; give the id of the newest."
  (intent-lsp--get (car (story-wait (format "%d records" count)
                                    (lambda ()
                                      (let ((told (story-told 'intent/didTrace)))
                                        (and (>= (length told) count) told)))))
                   "recordId"))

(defun story-stands (said)
  "Wait until the mode line says SAID."
  (story-wait (concat "stands: " said) (lambda () (equal (intent-lsp-mode-line) said))))

;; What Emacs says at the bottom, newest first.
(defvar story-said nil)
(define-advice message (:filter-return (said) story)
  (push said story-said)
  said)

;; A person who is asked: Emacs asks by `completing-read'.
(define-advice completing-read (:override (prompt titles &rest _) story)
  (let ((answer (or (pop story-answers) (error "Asked without an answer: %s" prompt))))
    (setq story-asked
          (append story-asked
                  (list (list :prompt (substring-no-properties prompt)
                              :titles (vconcat (mapcar (lambda (each) (if (consp each) (car each) each))
                                                       titles))
                              :saving (story-bool story-saving)))))
    answer))

;; Acts and sights

(defun story-open (name)
  (find-file (expand-file-name name (plist-get story-given :root))))

(defun story-text ()
  (buffer-substring-no-properties (point-min) (point-max)))

(defun story-disk ()
  "Give what is on disk of the buffer's file."
  (let ((file buffer-file-name)
        (coding-system-for-read 'utf-8-unix))
    (with-temp-buffer
      (insert-file-contents file)
      (buffer-string))))

(defun story-type (old new)
  "Put NEW in the place of the first OLD."
  (goto-char (point-min))
  (search-forward old)
  (replace-match new t t)
  (goto-char (match-beginning 0)))

(defun story-save ()
  "Save as a person does."
  (let ((story-saving t)
        (inhibit-message t))
    (save-buffer)))

(provide 'harness)
