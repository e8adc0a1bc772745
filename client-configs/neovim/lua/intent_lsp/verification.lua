-- The verification of the ledger: its result in one line, its problems in the quickfix list.

local messages = require('intent_lsp.messages')
local requests = require('intent_lsp.requests')

local M = {}

local ENTRY_TYPES = { error = 'E', warning = 'W' }

local function quickfix_entry(root, problem)
  local file = problem.file
  return {
    filename = file and (vim.startswith(file, '/') and file or root .. '/' .. file),
    lnum = problem.line,
    type = ENTRY_TYPES[problem.severity] or 'I',
    text = ('%s: %s'):format(messages.printable(problem.code), messages.printable(problem.message)),
  }
end

local function show(result, client)
  local problems = vim.tbl_map(function(problem)
    return quickfix_entry(client.root_dir, problem)
  end, result.problems)
  local hint = #problems > 0 and ('; problems, listed in :copen: %d'):format(#problems) or ''
  if #problems > 0 then
    vim.fn.setqflist({}, ' ', { title = 'intent-lsp: verify', items = problems })
  end
  if result.ok then
    -- An intact chain is only consistent; `proved` says how much of it is proved.
    messages.info(
      ('the ledger is intact; records: %d%s; proven: %s'):format(
        result.records,
        hint,
        result.proved
      )
    )
  else
    messages.error(('the ledger is NOT intact; records: %d%s'):format(result.records, hint))
    vim.cmd('botright copen')
  end
end

--- Verify the ledger of the current root, and show the result.
function M.verify()
  requests.send_here('intent/verify', {}, show)
end

return M
