-- Intents: select one, work without one, show the status, and set a root up.

local attachment = require('intent_lsp.attachment')
local messages = require('intent_lsp.messages')
local requests = require('intent_lsp.requests')
local root_status = require('intent_lsp.root_status')
local roots = require('intent_lsp.roots')

local M = {}

local CLOSED = { COMPLETED = true, ABANDONED = true, ARCHIVED = true }
-- Milliseconds for which a completion waits for the list of intents.
local LIST_TIMEOUT = 1000
-- As many globs of each intent are shown in the list to choose from.
local MAX_GLOBS = 3

local function is_open(intent)
  return not CLOSED[intent.status] and not vim.list_contains(intent.flags, 'INTENT_IGNORED')
end

local function select(client, intent_id)
  requests.send(client, 'intent/select', { intentId = intent_id }, function(result)
    local intent = result.intent
    messages.info(('%s %s (%s)'):format(intent.id, intent.name, intent.status))
    for _, warning in ipairs(result.warnings) do
      messages.warn(warning)
    end
  end)
end

local function scope_text(intent)
  local globs = vim.list_slice(intent.ownedScope, 1, MAX_GLOBS)
  local more = #intent.ownedScope - #globs
  local shown = #globs == 0 and '(nothing)' or table.concat(globs, ', ')
  return more > 0 and ('%s and %d more'):format(shown, more) or shown
end

local function offer(list, client)
  local open = vim.tbl_filter(is_open, list.intents)
  if #open == 0 then
    messages.warn(
      'there is no open intent; to create one, use the quick fix'
        .. ' “Create an intent for this file and select it”'
        .. ' on a line that intent-lsp has marked'
    )
    return
  end
  vim.ui.select(open, {
    prompt = 'Which intent are you working on?',
    kind = 'intent',
    format_item = function(intent)
      local mark = intent.id == list.activeIntentId and '*' or ' '
      local parts = { mark .. ' ' .. intent.id, intent.name, '(' .. intent.status .. ')' }
      return messages.printable(table.concat(parts, '  ') .. '  ' .. scope_text(intent))
    end,
  }, function(intent)
    if intent then
      select(client, intent.id)
    end
  end)
end

--- Select an intent by its id; without one let the user choose.
function M.select(intent_id)
  requests.with_current_client(function(client)
    if intent_id and intent_id ~= '' then
      select(client, intent_id)
    else
      requests.send(client, 'intent/list', {}, offer)
    end
  end)
end

--- Work without an intent.
function M.clear()
  requests.send_here('intent/clear', {}, function()
    messages.info('no intent is active any more')
  end)
end

--- Show the status of the current root, and store it for statuslines.
function M.status()
  requests.send_here('intent/status', {}, function(status, client)
    root_status.store(client.id, status)
    if not status.enabled then
      messages.warn('governance is off: ' .. (status.reason or 'unknown'))
      return
    end
    messages.info(
      ('%s · saves: %s · records: %d · %s'):format(
        status.activeIntentId or 'no intent is active',
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
  local start = path and vim.fs.dirname(path) or vim.fs.normalize(vim.fn.getcwd())
  return roots.git_top(start) or start
end

--- Create the governance files in a directory. A server that was started for it is stopped if that
--- fails.
function M.init(directory)
  local root = directory_to_govern(directory)
  requests.with_client(root, function(client)
    requests.send(client, 'intent/init', {}, function(result)
      -- Kept short: a message longer than a line has to be confirmed with Enter.
      local new = #result.created > 0
      messages.info(
        new and 'set up; a quick fix on a marked line creates the first intent'
          or 'this folder is set up already'
      )
      attachment.attach_all()
    end, function()
      if not roots.of_directory(root) then
        client:stop()
      end
    end)
  end)
end

--- Return the ids of the open intents that begin with `prefix`, in any letter case.
function M.complete(prefix)
  local client = requests.running_client()
  local params = client and { workspaceUri = vim.uri_from_fname(client.root_dir) }
  local answer = client and client:request_sync('intent/list', params, LIST_TIMEOUT)
  local ids = {}
  for _, intent in ipairs(answer and answer.result and answer.result.intents or {}) do
    if is_open(intent) and vim.startswith(intent.id:lower(), prefix:lower()) then
      ids[#ids + 1] = intent.id
    end
  end
  return ids
end

return M
