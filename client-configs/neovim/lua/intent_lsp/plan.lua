-- The plan: intents offered, selected and left, and a root that begins to have them.

local asking = require('intent_lsp.asking')
local attachment = require('intent_lsp.attachment')
local roots = require('intent_lsp.roots')
local standing = require('intent_lsp.standing')
local telling = require('intent_lsp.telling')

local M = {}

local CLOSED = { COMPLETED = true, ABANDONED = true, ARCHIVED = true }
-- Milliseconds that a completion waits for the list.
local LIST_TIME = 1000
-- So many globs of an intent are shown where one is chosen.
local GLOBS_SHOWN = 3

local function is_open(intent)
  return not CLOSED[intent.status] and not vim.list_contains(intent.flags, 'INTENT_IGNORED')
end

local function choose(client, intent_id)
  asking.request(client, 'intent/select', { intentId = intent_id }, function(result)
    local intent = result.intent
    telling.tell(('%s %s (%s)'):format(intent.id, intent.name, intent.status))
    for _, warning in ipairs(result.warnings) do
      telling.warn(warning)
    end
  end)
end

local function scope_of(intent)
  local globs = vim.list_slice(intent.ownedScope, 1, GLOBS_SHOWN)
  local more = #intent.ownedScope - #globs
  local shown = #globs == 0 and '(nothing)' or table.concat(globs, ', ')
  return more > 0 and ('%s and %d more'):format(shown, more) or shown
end

local function offer(list, client)
  local open = vim.tbl_filter(is_open, list.intents)
  if #open == 0 then
    telling.warn(
      'no intent is open; the quick fix “Create an intent for this file and select it”'
        .. ' on a marked line makes one'
    )
    return
  end
  vim.ui.select(open, {
    prompt = 'Which intent are you working on?',
    kind = 'intent',
    format_item = function(intent)
      local mark = intent.id == list.activeIntentId and '*' or ' '
      local said = { mark .. ' ' .. intent.id, intent.name, '(' .. intent.status .. ')' }
      return telling.word(table.concat(said, '  ') .. '  ' .. scope_of(intent))
    end,
  }, function(intent)
    if intent then
      choose(client, intent.id)
    end
  end)
end

function M.select(intent_id)
  asking.client_here(function(client)
    if intent_id and intent_id ~= '' then
      choose(client, intent_id)
    else
      asking.request(client, 'intent/list', {}, offer)
    end
  end)
end

function M.clear()
  asking.request_here('intent/clear', {}, function()
    telling.tell('no intent is active')
  end)
end

function M.status()
  asking.request_here('intent/status', {}, function(status, client)
    standing.keep(client.id, status)
    if not status.enabled then
      telling.warn('governance is off: ' .. (status.reason or 'unknown'))
      return
    end
    telling.tell(
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

function M.init(directory)
  local root = directory_to_govern(directory)
  asking.client_of(root, function(client)
    asking.request(client, 'intent/init', {}, function(result)
      -- Short enough for one line: what is longer has to be confirmed by Enter.
      local new = #result.created > 0
      telling.tell(
        new and 'set up; a quick fix on a marked line creates the first intent'
          or 'is set up already'
      )
      attachment.attach_all()
    end, function()
      if not roots.of_directory(root) then
        client:stop()
      end
    end)
  end)
end

function M.complete(prefix)
  local client = asking.running_here()
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

return M
