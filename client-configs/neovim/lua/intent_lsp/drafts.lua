-- Drafts: texts whose save was refused, which the user can restore.

local messages = require('intent_lsp.messages')
local requests = require('intent_lsp.requests')

local M = {}

local RESTORE = 'intent.restoreDraft'

local function restore(client, draft)
  local argument = { id = draft.id, workspaceUri = vim.uri_from_fname(client.root_dir) }
  local params = { command = RESTORE, arguments = { argument } }
  requests.send(client, 'workspace/executeCommand', params, function(result)
    if result.restored then
      messages.info(('restored the draft of %s; it is not saved yet'):format(draft.path))
    else
      messages.warn(('the draft of %s was not restored; it is kept'):format(draft.path))
    end
  end)
end

local function offer(list, client)
  if #list.drafts == 0 then
    messages.info('there are no drafts')
    return
  end
  vim.ui.select(list.drafts, {
    prompt = 'Which draft do you want back?',
    kind = 'intent_draft',
    format_item = function(draft)
      local intent = draft.intentId or 'no intent'
      local parts = { draft.createdAt, draft.path, draft.code, intent }
      return table.concat(vim.tbl_map(messages.printable, parts), '  ')
    end,
  }, function(draft)
    if draft then
      restore(client, draft)
    end
  end)
end

--- Let the user choose a draft, of the root or of one file, and restore it.
function M.choose(path)
  if path == '' then
    messages.warn('this buffer is not a file')
    return
  end
  local params = { uri = path and vim.uri_from_fname(path) }
  requests.send_here('intent/drafts', params, offer)
end

return M
