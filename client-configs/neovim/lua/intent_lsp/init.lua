-- intent-lsp in Neovim 0.11 and newer: attaches to every file of a governed root, beside whatever
-- other servers a buffer has, and gives commands to select and show the active intent.
--
--   vim.opt.runtimepath:append('/path/to/intent-lsp/client-configs/neovim')
--   require('intent_lsp').setup()

local attachment = require('intent_lsp.attachment')
local roots = require('intent_lsp.roots')
local standing = require('intent_lsp.standing')

local M = {}

local CLOSED = { COMPLETED = true, ABANDONED = true, ARCHIVED = true }
local INTENTS = roots.INTENTS
-- Milliseconds: for a server that is just starting, for the list that a completion needs.
local START_TIME, LIST_TIME = 5000, 1000

local function notify(message, level)
  vim.notify('intent-lsp: ' .. message, level or vim.log.levels.INFO)
end

local function warn(message)
  notify(message, vim.log.levels.WARN)
end

local function working_directory()
  return vim.fs.normalize(vim.fn.getcwd())
end

--- Give the client of a root once its server answers, started if need be; nil: there is none.
local function client_of(root)
  local client = attachment.start(root)
  local ready = client and vim.wait(START_TIME, function()
    return client.initialized == true
  end, 10)
  return ready and client or nil
end

--- Give the client of the current buffer's root, else of the working directory's, and that root.
local function client_here()
  local root = roots.of_buffer(0) or roots.of_directory(working_directory())
  return root and client_of(root), root
end

--- Ask a server something of its root; an error is shown, and then `on_error` is called.
local function request(client, method, params, on_result, on_error)
  params.workspaceUri = vim.uri_from_fname(client.root_dir)
  client:request(method, params, function(err, result)
    if err then
      notify(err.message, vim.log.levels.ERROR)
      if on_error then
        on_error(client)
      end
    else
      on_result(result, client)
    end
  end)
end

local function request_here(method, params, on_result)
  local client, root = client_here()
  if client then
    request(client, method, params, on_result)
  elseif root then
    warn(('the server of %s does not answer; see :checkhealth intent_lsp'):format(root))
  else
    warn(('nobody governs this place: no %s; :IntentInit creates one'):format(INTENTS))
  end
end

local function is_open(intent)
  return not CLOSED[intent.status] and not vim.list_contains(intent.flags, 'INTENT_IGNORED')
end

local function choose(intent_id)
  request_here('intent/select', { intentId = intent_id }, function(result)
    local intent = result.intent
    notify(('%s %s (%s)'):format(intent.id, intent.name, intent.status))
    for _, warning in ipairs(result.warnings) do
      warn(warning)
    end
  end)
end

local function offer(list)
  local open = vim.tbl_filter(is_open, list.intents)
  if #open == 0 then
    warn('there is no open intent in ' .. INTENTS)
    return
  end
  vim.ui.select(open, {
    prompt = 'Which intent do you work for?',
    kind = 'intent',
    format_item = function(intent)
      local mark = intent.id == list.activeIntentId and '*' or ' '
      return ('%s %s  %s  (%s)'):format(mark, intent.id, intent.name, intent.status)
    end,
  }, function(intent)
    if intent then
      choose(intent.id)
    end
  end)
end

--- Select an intent by its id; without one, choose among the open intents.
function M.select(intent_id)
  if intent_id and intent_id ~= '' then
    choose(intent_id)
  else
    request_here('intent/list', {}, offer)
  end
end

--- Work without an intent.
function M.clear()
  request_here('intent/clear', {}, function()
    notify('no intent is active')
  end)
end

--- Say how this root stands: the active intent, what saves do, how long the ledger is.
function M.status()
  request_here('intent/status', {}, function(status, client)
    standing.keep(client.id, status)
    if not status.enabled then
      warn('governance is off: ' .. (status.reason or 'unknown'))
      return
    end
    local active = status.activeIntentId ~= vim.NIL and status.activeIntentId
    notify(
      ('%s · saves: %s · records: %d · %s'):format(
        active or 'no intent is active',
        status.enforcement,
        status.records,
        status.root
      )
    )
  end)
end

local function directory_to_govern(named)
  if named and named ~= '' then
    return vim.fs.normalize(vim.fs.abspath(named))
  end
  local path = roots.file_of(0)
  local start = path and vim.fs.dirname(path) or working_directory()
  return roots.git_top(start) or start
end

--- Govern a directory from now on; without one, the buffer's git work tree or working directory.
--- What exists is not changed.
function M.init(directory)
  local root = directory_to_govern(directory)
  local client = client_of(root)
  if not client then
    warn('the server does not start; see :checkhealth intent_lsp')
    return
  end
  request(client, 'intent/init', {}, function(result)
    local created = #result.created == 0 and 'nothing, all of it is there'
      or table.concat(result.created, ', ')
    notify(('created in %s: %s'):format(root, created))
    attachment.attach_all()
  end, function()
    if not roots.of_directory(root) then
      client:stop()
    end
  end)
end

--- The active intent of a buffer's root for a statusline; '' where nobody governs it.
function M.statusline(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr or 0, name = attachment.NAME })[1]
  local status = client and standing.of(client.id)
  if not status then
    return ''
  elseif not status.enabled then
    return 'intents off'
  end
  return status.activeIntentId ~= vim.NIL and status.activeIntentId or 'no intent'
end

--- The ids of the open intents that begin with `prefix`, in whatever letter case.
function M.complete(prefix)
  local client = client_here()
  local params = client and { workspaceUri = vim.uri_from_fname(client.root_dir) }
  local answer = client and client:request_sync('intent/list', params, LIST_TIME)
  local ids = {}
  for _, intent in ipairs(answer and answer.result and answer.result.intents or {}) do
    if is_open(intent) and vim.startswith(intent.id:lower(), prefix:lower()) then
      ids[#ids + 1] = intent.id
    end
  end
  return ids
end

local function create_commands()
  local command = vim.api.nvim_create_user_command
  command('IntentSelect', function(given)
    M.select(given.args)
  end, { nargs = '?', complete = M.complete, desc = 'Select the intent that you work for' })
  command('IntentClear', M.clear, { desc = 'Work without an intent' })
  command('IntentStatus', M.status, { desc = 'Show the active intent and the ledger' })
  command('IntentInit', function(given)
    M.init(given.args)
  end, { nargs = '?', complete = 'dir', desc = 'Govern a directory from now on' })
end

--- Set the server up. `options` is what `vim.lsp.config` takes, for example
--- `{ cmd = { '/path/to/venv/bin/intent-lsp' }, init_options = { exclude = { 'vendor/**' } } }`.
function M.setup(options)
  if vim.fn.has('nvim-0.11') == 0 then
    notify('Neovim 0.11 or newer is needed', vim.log.levels.ERROR)
    return
  end
  options = vim.deepcopy(options or {})
  for _, hook in ipairs({ 'on_init', 'on_exit' }) do
    if options[hook] then
      -- Beside ours, not instead.
      options[hook] = vim.iter({ attachment[hook], options[hook] }):flatten():totable()
    end
  end
  vim.lsp.config(attachment.NAME, options)
  vim.lsp.enable(attachment.NAME)
  create_commands()
  attachment.watch()
end

return M
