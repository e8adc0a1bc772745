;;; intent-lsp.el --- Edits by their intents, with Eglot or lsp-mode  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; With Eglot, which gives a buffer one server: `M-x intent-lsp-eglot' in a file of the project.
;; With lsp-mode, which gives it several: nothing but `lsp', as ever.
;; Then `M-x intent-lsp-select', `intent-lsp-clear', `intent-lsp-status'.

;;; Code:

(require 'seq)
(require 'subr-x)

(declare-function eglot "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function lsp-find-workspace "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-request "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(defvar eglot-move-to-column-function)
(defvar eglot-server-programs)
(defvar lsp--cur-workspace)
(defvar lsp-mode)

(defgroup intent-lsp nil
  "Edits by the intents they serve."
  :group 'tools)

(defcustom intent-lsp-command '("intent-lsp" "serve")
  "The server's program and its arguments."
  :type '(repeat string))

(defcustom intent-lsp-initialization-options nil
  "What the server is told at its start, as a property list: (:exclude [\"**/vendor/**\"])."
  :type 'plist)

;; What a mode line, a log or a toast may be made of.
(defvar intent-lsp-functions nil
  "Functions that are called with each notification of the server: its name and its params.
The names are `intent/didChange', `intent/didDeny' and `intent/didTrace'.")

(defconst intent-lsp--file ".orchestration/active_intents.yaml")

(defvar intent-lsp--standings (make-hash-table :test #'equal)
  "The last `Status' of each root, by the root's name.")

(defun intent-lsp-root ()
  "Give the governed directory that the buffer's file is in, nil if nobody governs it."
  (when-let ((file (or buffer-file-name default-directory))
             (root (locate-dominating-file file intent-lsp--file)))
    (directory-file-name (expand-file-name root))))

;;;###autoload
(defun intent-lsp-select (intent-id)
  "Work for the intent INTENT-ID from now on."
  (interactive (list (intent-lsp--choose)))
  (let* ((done (intent-lsp--run "intent.select" (list :intentId intent-id)))
         (intent (intent-lsp--get done "intent")))
    (seq-doseq (warning (intent-lsp--get done "warnings"))
      (message "intent-lsp: %s" warning))
    (message "intent-lsp: %s %s (%s)" (intent-lsp--get intent "id")
             (intent-lsp--get intent "name") (intent-lsp--get intent "status"))))

;;;###autoload
(defun intent-lsp-clear ()
  "Work without an intent."
  (interactive)
  (intent-lsp--run "intent.clear" nil)
  (message "intent-lsp: no intent"))

;;;###autoload
(defun intent-lsp-status ()
  "Say which intent is active, what saves do, how long the ledger is."
  (interactive)
  (let ((status (intent-lsp--run "intent.status" nil)))
    (message "intent-lsp: %s · saves: %s · records: %s · %s"
             (or (intent-lsp--get status "activeIntentId") "no intent")
             (intent-lsp--get status "enforcement")
             (intent-lsp--get status "records")
             (or (intent-lsp--get status "root") "nobody governs this"))))

(defun intent-lsp-mode-line ()
  "Say the active intent of the buffer's root, for `mode-line-format'; nothing elsewhere."
  (let* ((root (intent-lsp-root))
         (status (and root (gethash (file-truename root) intent-lsp--standings))))
    (cond ((null status) "")
          ((not (equal (intent-lsp--get status "fileState") "ok")) "intents off")
          (t (or (intent-lsp--get status "activeIntentId") "no intent")))))

(defun intent-lsp--choose ()
  "Have the person choose one of the open intents; give its id."
  (let* ((listed (intent-lsp--run "intent.list" nil))
         (open (seq-remove (lambda (intent)
                             (member (intent-lsp--get intent "status") '("COMPLETED" "ABANDONED" "ARCHIVED")))
                           (intent-lsp--get listed "intents")))
         (titles (mapcar (lambda (intent)
                           (cons (format "%s: %s" (intent-lsp--get intent "id")
                                         (intent-lsp--get intent "name"))
                                 (intent-lsp--get intent "id")))
                         open)))
    (unless titles
      (user-error "There is no open intent here"))
    (cdr (assoc (completing-read "Which intent do you work for? " titles nil t) titles))))

(defun intent-lsp--run (command params)
  "Run COMMAND of the buffer's server with the property list PARAMS; give its answer."
  (let ((call (list :command command
                    :arguments (vector (append params
                                               (when-let ((root (intent-lsp-root)))
                                                 (list :workspaceUri (intent-lsp--uri root))))))))
    (cond ((intent-lsp--eglot)
           (jsonrpc-request (intent-lsp--eglot) :workspace/executeCommand call))
          ((and (bound-and-true-p lsp-mode) (lsp-find-workspace 'intent-lsp))
           (let ((lsp--cur-workspace (lsp-find-workspace 'intent-lsp)))
             (lsp-request "workspace/executeCommand" call)))
          (t (user-error "The server is not running here: M-x intent-lsp-eglot or M-x lsp")))))

(defun intent-lsp--uri (path)
  "Give PATH as a URI."
  (concat "file://" (url-hexify-string path url-path-allowed-chars)))

(defun intent-lsp--get (object key)
  "Give what OBJECT, as the client made it of JSON, has under KEY."
  (if (hash-table-p object)
      (gethash key object)
    (plist-get object (intern (concat ":" key)))))

(defun intent-lsp--hear (name params)
  "Take the notification NAME with PARAMS; what stands is kept for the mode line."
  (when-let ((root (and (eq name 'intent/didChange) (intent-lsp--get params "root"))))
    (puthash (file-truename root) params intent-lsp--standings)
    (force-mode-line-update t))
  (run-hook-with-args 'intent-lsp-functions name params))

;;; Eglot

(defun intent-lsp--eglot ()
  "Give the buffer's Eglot server if it is ours."
  (let ((server (and (fboundp 'eglot-current-server) (eglot-current-server))))
    (and server (object-of-class-p server 'intent-lsp-eglot-server) server)))

;;;###autoload
(defun intent-lsp-eglot ()
  "Have Eglot start the server for all files of the buffer's project, instead of any other."
  (interactive)
  (require 'eglot)
  (let ((eglot-server-programs
         (list (cons (intent-lsp--modes) (cons 'intent-lsp-eglot-server intent-lsp-command)))))
    (call-interactively #'eglot)))

(defun intent-lsp--modes ()
  "Give all modes that a file may be in: one server, and one active intent, for all of them."
  (let ((modes (list major-mode 'fundamental-mode 'prog-mode 'text-mode)))
    (dolist (entry (append auto-mode-alist interpreter-mode-alist
                           (bound-and-true-p major-mode-remap-alist)))
      (let ((mode (if (consp (cdr entry)) (cadr entry) (cdr entry))))
        (when (and mode (symbolp mode) (string-suffix-p "-mode" (symbol-name mode)))
          (push mode modes))))
    (delete-dups (nreverse modes))))

(defun intent-lsp--mend ()
  "Mend what Eglot 1.9 does wrong, in a buffer of our server."
  (if (not (intent-lsp--eglot))
      (remove-hook 'before-save-hook #'intent-lsp--tell-first t)
    ;; It asks about a save with half a second of typing still untold.
    (add-hook 'before-save-hook #'intent-lsp--tell-first -90 t)
    ;; It looks for ever for a place in the middle of a letter of two units, which the end of a
    ;; problem is for a moment when such a letter is typed there.  Later ones count otherwise.
    (when (eq (bound-and-true-p eglot-move-to-column-function) 'eglot-move-to-lsp-abiding-column)
      (setq-local eglot-move-to-column-function #'intent-lsp--move-to-column))))

(defun intent-lsp--tell-first ()
  "Tell the server of what was just typed, before it is asked whether it may be saved."
  (when (intent-lsp--eglot)
    (eglot--signal-textDocument/didChange)))

(defun intent-lsp--move-to-column (column)
  "Move to COLUMN of the line in UTF-16 units; within a letter that is the place before it."
  (goto-char (line-beginning-position))
  (while (and (not (eolp))
              (>= (setq column (- column (if (> (char-after) #xffff) 2 1))) 0))
    (forward-char)))

(with-eval-after-load 'eglot
  (defclass intent-lsp-eglot-server (eglot-lsp-server) ()
    :documentation "The server as Eglot knows it.")

  (cl-defmethod eglot-client-capabilities :around ((_server intent-lsp-eglot-server))
    "Ask for the server's own notifications, too."
    (plist-put (copy-sequence (cl-call-next-method))
               :experimental '(:intent (:notifications t))))

  (cl-defmethod eglot-initialization-options ((_server intent-lsp-eglot-server))
    "Give what the person has set."
    (or intent-lsp-initialization-options (make-hash-table :size 0)))

  (cl-defmethod eglot-handle-notification
    ((_server intent-lsp-eglot-server) (name (eql intent/didChange)) &rest status)
    "Another intent is active, or the plan has changed."
    (intent-lsp--hear name status))

  (cl-defmethod eglot-handle-notification
    ((_server intent-lsp-eglot-server) (name (eql intent/didDeny)) &rest decision)
    "A save was turned back; the question that follows it says so."
    (intent-lsp--hear name decision))

  (cl-defmethod eglot-handle-notification
    ((_server intent-lsp-eglot-server) (name (eql intent/didTrace)) &rest told)
    "A record is on disk."
    (intent-lsp--hear name told))

  (add-hook 'eglot-managed-mode-hook #'intent-lsp--mend))

;;; lsp-mode

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client
    :server-id 'intent-lsp
    :new-connection (lsp-stdio-connection (lambda () intent-lsp-command))
    :activation-fn (lambda (file _language)
                     (and file (locate-dominating-file file intent-lsp--file) t))
    ;; Beside the language's own server.
    :add-on? t
    :priority -3
    :multi-root t
    :initialization-options (lambda () intent-lsp-initialization-options)
    :custom-capabilities '((experimental . ((intent . ((notifications . t))))))
    :notification-handlers
    (let ((handlers (make-hash-table :test #'equal)))
      (dolist (name '(intent/didChange intent/didDeny intent/didTrace))
        (puthash (symbol-name name)
                 (lambda (_workspace params) (intent-lsp--hear name params))
                 handlers))
      handlers))))

(provide 'intent-lsp)

;;; intent-lsp.el ends here
