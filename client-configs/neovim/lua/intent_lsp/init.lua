-- intent-lsp in Neovim 0.11 and newer: attaches to every file of a governed root, beside whatever
-- other servers a buffer has, and lets a person select intents and read the ledger.
--
--   vim.opt.runtimepath:append('/path/to/intent-lsp/client-configs/neovim')
--   require('intent_lsp').setup()
--
-- What is not needed at the start is loaded when it is first called.

local M = {}

local NAME = 'intent_lsp'

--- Set the server up; see `:help intent-lsp-options`. What is wrong with an option is said, and
--- the others hold.
function M.setup(given)
  if vim.fn.has('nvim-0.11') == 0 then
    vim.notify('intent-lsp: Neovim 0.11 or newer is needed', vim.log.levels.ERROR)
    return
  end
  -- A plugin manager may have put us on the path after Neovim looked for plugins.
  vim.cmd.runtime('plugin/intent_lsp.lua')
  local attachment = require('intent_lsp.attachment')
  local config = require('intent_lsp.options').read(given)
  for _, hook in ipairs({ 'on_init', 'on_exit' }) do
    if config[hook] then
      -- Beside ours, not instead.
      config[hook] = vim.iter({ attachment[hook], config[hook] }):flatten():totable()
    end
  end
  vim.lsp.config(NAME, config)
  vim.lsp.enable(NAME)
  attachment.watch()
end

--- Select an intent by its id; without one, choose among the open intents.
function M.select(intent_id)
  require('intent_lsp.plan').select(intent_id)
end

--- Work without an intent.
function M.clear()
  require('intent_lsp.plan').clear()
end

--- Say how this root stands: the active intent, what saves do, how long the ledger is.
function M.status()
  require('intent_lsp.plan').status()
end

--- Govern a directory from now on; without one, the buffer's git work tree or working directory.
--- What exists is not changed.
function M.init(directory)
  require('intent_lsp.plan').init(directory)
end

--- Show the newest records: all, or those of `wanted.path` or `wanted.intent_id`; in the quickfix
--- list with `wanted.quickfix`.
function M.trace(wanted)
  require('intent_lsp.trace').open(wanted or {})
end

--- Show which intent the lines from `first` to `last` come from (counted from 1; without them the
--- cursor's line), or hide it where it is shown.
function M.blame(first, last)
  require('intent_lsp.blame').toggle(first, last)
end

--- Show it for the cursor's line wherever the cursor goes, in every buffer, or stop that.
function M.follow()
  require('intent_lsp.blame').follow()
end

--- Check the ledger; what is wrong with it is put into the quickfix list.
function M.verify()
  require('intent_lsp.verification').verify()
end

--- Choose among the texts whose save was refused, of the root or of one file, and restore one.
function M.drafts(path)
  require('intent_lsp.drafts').choose(path)
end

--- Write the ledger as one page of HTML to `path`, or, without one, show it in the browser.
--- A file that is not a report is replaced with `how.force` alone.
function M.report(path, how)
  require('intent_lsp.report').write(path, how or {})
end

--- The active intent of a buffer's root for a statusline; '' where nobody governs it.
function M.statusline(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr or 0, name = NAME })[1]
  local status = client and require('intent_lsp.standing').of(client.id)
  if not status then
    return ''
  elseif not status.enabled then
    return 'intents off'
  end
  return status.activeIntentId or 'no intent'
end

--- The ids of the open intents that begin with `prefix`, in whatever letter case; none while no
--- server runs.
function M.complete(prefix)
  return require('intent_lsp.plan').complete(prefix)
end

return M
