;;; intent-lsp.el --- The intent-lsp server with Eglot or lsp-mode  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; Eglot gives a buffer one server: run `M-x intent-lsp-eglot' in a file of the project.
;; lsp-mode gives a buffer several: run `M-x lsp' as usual.
;; Then use `M-x intent-lsp-select', `intent-lsp-clear' and `intent-lsp-status'.

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

;; For a mode line, a log or a desktop notification of the user's own.
(defvar intent-lsp-functions nil
  "Functions that are called with each notification of the server: its name and its params.
The names are `intent/didChange', `intent/didDeny' and `intent/didTrace'.")

(defconst intent-lsp--intents-file ".orchestration/active_intents.yaml")

(defvar intent-lsp--status-by-root (make-hash-table :test #'equal)
  "The last `Status' of each root, by the root's true name.")

(defun intent-lsp-root ()
  "Return the root that governs the buffer's file, or nil if none does."
  (when-let ((file (or buffer-file-name default-directory))
             (root (locate-dominating-file file intent-lsp--intents-file)))
    (directory-file-name (expand-file-name root))))

;;;###autoload
(defun intent-lsp-select (intent-id)
  "Work for the intent INTENT-ID from now on."
  (interactive (list (intent-lsp--read-intent)))
  (let* ((done (intent-lsp--execute-command "intent.select" (list :intentId intent-id)))
         (intent (intent-lsp--get done "intent")))
    (seq-doseq (warning (intent-lsp--get done "warnings"))
      (message "intent-lsp: %s" warning))
    (message "intent-lsp: %s %s (%s)" (intent-lsp--get intent "id")
             (intent-lsp--get intent "name") (intent-lsp--get intent "status"))))

;;;###autoload
(defun intent-lsp-clear ()
  "Work without an intent."
  (interactive)
  (intent-lsp--execute-command "intent.clear" nil)
  (message "intent-lsp: no intent"))

;;;###autoload
(defun intent-lsp-status ()
  "Show the active intent, how saves are enforced, and the ledger's length."
  (interactive)
  (let* ((status (intent-lsp--execute-command "intent.status" nil))
         (root (intent-lsp--get status "root")))
    (cond ((null root) (message "intent-lsp: no intents file governs this file"))
          ((intent-lsp--off-p status)
           (message "intent-lsp: governance is off: %s" (intent-lsp--get status "reason")))
          (t (message "intent-lsp: %s · saves: %s · records: %s · %s"
                      (or (intent-lsp--get status "activeIntentId") "no intent")
                      (intent-lsp--get status "enforcement")
                      (intent-lsp--get status "records")
                      root)))))

(defun intent-lsp--off-p (status)
  "Return whether governance is off by STATUS: the intents file cannot be read."
  (member (intent-lsp--get status "fileState") '("broken" "missing")))

(defun intent-lsp-mode-line ()
  "Return the active intent of the buffer's root for `mode-line-format', \"\" if there is no root.
Agent hosts that did not ask while files changed follow it."
  (let* ((root (intent-lsp-root))
         (status (and root (gethash (file-truename root) intent-lsp--status-by-root))))
    (cond ((null status) "")
          ((intent-lsp--off-p status) "intents off")
          (t (mapconcat #'identity
                        (cons (or (intent-lsp--get status "activeIntentId") "no intent")
                              (mapcar (lambda (host) (concat host " did not ask intent-lsp"))
                                      (append (intent-lsp--get status "blindHosts") nil)))
                        " · ")))))

(defun intent-lsp--read-intent ()
  "Let the user choose one of the open intents; return its id."
  (let* ((listed (intent-lsp--execute-command "intent.list" nil))
         (open (seq-remove #'intent-lsp--closed-p (intent-lsp--get listed "intents")))
         (titles (mapcar (lambda (intent)
                           (cons (format "%s: %s" (intent-lsp--get intent "id")
                                         (intent-lsp--get intent "name"))
                                 (intent-lsp--get intent "id")))
                         open)))
    (unless titles
      (user-error "There is no open intent here; a code action on a marked line creates one"))
    (cdr (assoc (completing-read "Which intent do you work for? " titles nil t) titles))))

(defun intent-lsp--closed-p (intent)
  "Return whether INTENT cannot be selected: it is closed or ignored."
  (or (member (intent-lsp--get intent "status") '("COMPLETED" "ABANDONED" "ARCHIVED"))
      (seq-contains-p (intent-lsp--get intent "flags") "INTENT_IGNORED")))

(defun intent-lsp--execute-command (command params)
  "Run COMMAND of the buffer's server with the property list PARAMS; return its answer."
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
  "Return the URI of PATH."
  (concat "file://" (url-hexify-string path url-path-allowed-chars)))

(defun intent-lsp--get (object key)
  "Return the value of KEY in OBJECT, a JSON object.
Eglot makes a property list of it, lsp-mode a hash table."
  (if (hash-table-p object)
      (gethash key object)
    (plist-get object (intern (concat ":" key)))))

(defun intent-lsp--handle-notification (name params)
  "Handle the notification NAME with PARAMS: store a new status for the mode line, run the hook."
  (when-let ((root (and (eq name 'intent/didChange) (intent-lsp--get params "root"))))
    (puthash (file-truename root) params intent-lsp--status-by-root)
    (force-mode-line-update t))
  (run-hook-with-args 'intent-lsp-functions name params))

;;; Eglot

(defun intent-lsp--eglot ()
  "Return the buffer's Eglot server if it is ours, else nil."
  (let ((server (and (fboundp 'eglot-current-server) (eglot-current-server))))
    (and server (object-of-class-p server 'intent-lsp-eglot-server) server)))

;;;###autoload
(defun intent-lsp-eglot ()
  "Start the server with Eglot for all files of the buffer's project, instead of any other."
  (interactive)
  (require 'eglot)
  (let ((eglot-server-programs
         (list (cons (intent-lsp--all-modes) (cons 'intent-lsp-eglot-server intent-lsp-command)))))
    (call-interactively #'eglot)))

(defun intent-lsp--all-modes ()
  "Return all modes that a file may have, so that all files share a server and an active intent."
  (let ((modes (list major-mode 'fundamental-mode 'prog-mode 'text-mode)))
    (dolist (entry (append auto-mode-alist interpreter-mode-alist
                           (bound-and-true-p major-mode-remap-alist)))
      (let ((mode (if (consp (cdr entry)) (cadr entry) (cdr entry))))
        (when (and mode (symbolp mode) (string-suffix-p "-mode" (symbol-name mode)))
          (push mode modes))))
    (delete-dups (nreverse modes))))

(defun intent-lsp--work-around-eglot ()
  "Work around two bugs of Eglot 1.9 in a buffer of our server."
  (if (not (intent-lsp--eglot))
      (remove-hook 'before-save-hook #'intent-lsp--send-changes t)
    ;; It sends `willSaveWaitUntil' before the changes of the last half second of typing.
    (add-hook 'before-save-hook #'intent-lsp--send-changes -90 t)
    ;; It loops for ever if a column is in the middle of a character of two UTF-16 units.  The end
    ;; of a diagnostic is there for a moment when such a character is typed.  Later versions have
    ;; another function, which this does not replace.
    (when (eq (bound-and-true-p eglot-move-to-column-function) 'eglot-move-to-lsp-abiding-column)
      (setq-local eglot-move-to-column-function #'intent-lsp--move-to-column))))

(defun intent-lsp--send-changes ()
  "Send the pending changes of the buffer, so that the server judges the text that is saved."
  (when (intent-lsp--eglot)
    (eglot--signal-textDocument/didChange)))

(defun intent-lsp--move-to-column (column)
  "Move to COLUMN of the line, in UTF-16 units; inside a character move to its beginning."
  (goto-char (line-beginning-position))
  (while (and (not (eolp))
              (>= (setq column (- column (if (> (char-after) #xffff) 2 1))) 0))
    (forward-char)))

(with-eval-after-load 'eglot
  (defclass intent-lsp-eglot-server (eglot-lsp-server) ()
    :documentation "Our server in Eglot.")

  (cl-defmethod eglot-client-capabilities :around ((_server intent-lsp-eglot-server))
    "Add the capability for which the server sends `intent/*' notifications."
    (plist-put (copy-sequence (cl-call-next-method))
               :experimental '(:intent (:notifications t))))

  (cl-defmethod eglot-initialization-options ((_server intent-lsp-eglot-server))
    "Return the options that the user has set."
    (or intent-lsp-initialization-options (make-hash-table :size 0)))

  (cl-defmethod eglot-handle-notification
    ((_server intent-lsp-eglot-server) (name (eql intent/didChange)) &rest status)
    "Handle a change of the active intent or of the intents file."
    (intent-lsp--handle-notification name status))

  (cl-defmethod eglot-handle-notification
    ((_server intent-lsp-eglot-server) (name (eql intent/didDeny)) &rest decision)
    "Handle a refused save, which the server reports to the user itself."
    (intent-lsp--handle-notification name decision))

  (cl-defmethod eglot-handle-notification
    ((_server intent-lsp-eglot-server) (name (eql intent/didTrace)) &rest record)
    "Handle a new record, which is on disk by now."
    (intent-lsp--handle-notification name record))

  (add-hook 'eglot-managed-mode-hook #'intent-lsp--work-around-eglot))

;;; lsp-mode

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client
    :server-id 'intent-lsp
    :new-connection (lsp-stdio-connection (lambda () intent-lsp-command))
    :activation-fn (lambda (file _language)
                     (and file (locate-dominating-file file intent-lsp--intents-file) t))
    ;; So that the language's own server runs, too.
    :add-on? t
    :priority -3
    :multi-root t
    :initialization-options (lambda () intent-lsp-initialization-options)
    :custom-capabilities '((experimental . ((intent . ((notifications . t))))))
    :notification-handlers
    (let ((handlers (make-hash-table :test #'equal)))
      (dolist (name '(intent/didChange intent/didDeny intent/didTrace))
        (puthash (symbol-name name)
                 (lambda (_workspace params) (intent-lsp--handle-notification name params))
                 handlers))
      handlers))))

(provide 'intent-lsp)

;;; intent-lsp.el ends here
