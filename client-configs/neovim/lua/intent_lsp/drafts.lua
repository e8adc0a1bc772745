-- Drafts: texts whose save was refused, to be chosen from and restored.

local asking = require('intent_lsp.asking')
local telling = require('intent_lsp.telling')

local M = {}

local RESTORE = 'intent.restoreDraft'

local function restore(client, draft)
  local given = { id = draft.id, workspaceUri = vim.uri_from_fname(client.root_dir) }
  local params = { command = RESTORE, arguments = { given } }
  asking.request(client, 'workspace/executeCommand', params, function(result)
    if result.restored then
      telling.tell(('restored the draft of %s; it is not saved yet'):format(draft.path))
    else
      telling.warn(('the draft of %s was not restored; it is kept'):format(draft.path))
    end
  end)
end

local function offer(list, client)
  if #list.drafts == 0 then
    telling.tell('there are no drafts')
    return
  end
  vim.ui.select(list.drafts, {
    prompt = 'Which draft do you want back?',
    kind = 'intent_draft',
    format_item = function(draft)
      local intent = draft.intentId or 'no intent'
      local said = { draft.createdAt, draft.path, draft.code, intent }
      return table.concat(vim.tbl_map(telling.word, said), '  ')
    end,
  }, function(draft)
    if draft then
      restore(client, draft)
    end
  end)
end

function M.choose(path)
  if path == '' then
    telling.warn('this buffer is not a file')
    return
  end
  local params = { uri = path and vim.uri_from_fname(path) }
  asking.request_here('intent/drafts', params, offer)
end

return M
