-- The public Lua functions of intent-lsp for Neovim 0.11 and newer. The server is attached to every
-- file of a governed root, beside other servers; users select intents and read the ledger.
--
--   vim.opt.runtimepath:append('/path/to/intent-lsp/client-configs/neovim')
--   require('intent_lsp').setup()
--
-- Modules are required inside the functions, so that they are not loaded before they are needed.

local M = {}

local NAME = 'intent_lsp'

--- Set the server up; see `:help intent-lsp-options`. Warn about wrong options, and use the others.
function M.setup(opts)
  if vim.fn.has('nvim-0.11') == 0 then
    vim.notify('intent-lsp: Neovim 0.11 or newer is needed', vim.log.levels.ERROR)
    return
  end
  -- A plugin manager may have added us to the path after Neovim had loaded the plugins.
  vim.cmd.runtime('plugin/intent_lsp.lua')
  local attachment = require('intent_lsp.attachment')
  local config = require('intent_lsp.options').read(opts)
  for _, hook in ipairs({ 'on_init', 'on_exit' }) do
    if config[hook] then
      -- The user's hook runs after ours, not instead of it.
      config[hook] = vim.iter({ attachment[hook], config[hook] }):flatten():totable()
    end
  end
  vim.lsp.config(NAME, config)
  vim.lsp.enable(NAME)
  attachment.watch()
end

--- Select an intent by its id; without one, choose among the open intents.
function M.select(intent_id)
  require('intent_lsp.intents').select(intent_id)
end

--- Work without an intent.
function M.clear()
  require('intent_lsp.intents').clear()
end

--- Show the status of this root: the active intent, how saves are enforced, the ledger's length.
function M.status()
  require('intent_lsp.intents').status()
end

--- Create the governance files in a directory; by default in the buffer's git work tree or in the
--- working directory. Existing files are not changed.
function M.init(directory)
  require('intent_lsp.intents').init(directory)
end

--- Show the newest records: all, or those of `wanted.path` or `wanted.intent_id`. Show them in the
--- quickfix list if `wanted.quickfix` is true.
function M.trace(wanted)
  require('intent_lsp.trace').open(wanted or {})
end

--- Show which intent the lines from `first` to `last` come from, or hide it if it is shown. Lines
--- count from 1; the default is the cursor's line.
function M.blame(first, last)
  require('intent_lsp.blame').toggle(first, last)
end

--- Begin or stop to show, in every buffer, which intent the cursor's line comes from.
function M.follow()
  require('intent_lsp.blame').follow()
end

--- Verify the ledger, and put its problems into the quickfix list.
function M.verify()
  require('intent_lsp.verification').verify()
end

--- Let the user choose a text whose save was refused, of the root or of one file, and restore it.
function M.drafts(path)
  require('intent_lsp.drafts').choose(path)
end

--- Write the ledger as one page of HTML to `path`; without a path show it in the browser. Replace a
--- file that is not a report only if `how.force` is true.
function M.report(path, how)
  require('intent_lsp.report').write(path, how or {})
end

--- Return the active intent of a buffer's root for a statusline, '' if the buffer is not governed.
--- Agent hosts that did not ask while files changed follow it.
function M.statusline(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr or 0, name = NAME })[1]
  local status = client and require('intent_lsp.root_status').get(client.id)
  if not status then
    return ''
  elseif not status.enabled then
    return 'intents off'
  end
  local parts = { status.activeIntentId or 'no intent' }
  for _, host in ipairs(status.blindHosts or {}) do
    parts[#parts + 1] = host .. ' did not ask intent-lsp'
  end
  return table.concat(parts, ' · ')
end

--- Return the ids of the open intents that begin with `prefix`, in any letter case. Return none
--- while no server runs.
function M.complete(prefix)
  return require('intent_lsp.intents').complete(prefix)
end

return M
