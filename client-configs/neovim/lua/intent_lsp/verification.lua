-- The ledger checked: one line where it is whole, a quickfix list where it is not.

local asking = require('intent_lsp.asking')
local telling = require('intent_lsp.telling')

local M = {}

local TYPES = { error = 'E', warning = 'W' }

local function entry(root, problem)
  local file = problem.file
  return {
    filename = file and (vim.startswith(file, '/') and file or root .. '/' .. file),
    lnum = problem.line,
    type = TYPES[problem.severity] or 'I',
    text = ('%s: %s'):format(telling.word(problem.code), telling.word(problem.message)),
  }
end

local function show(found, client)
  local problems = vim.tbl_map(function(problem)
    return entry(client.root_dir, problem)
  end, found.problems)
  local listed = #problems > 0 and ('; findings in :copen: %d'):format(#problems) or ''
  if #problems > 0 then
    vim.fn.setqflist({}, ' ', { title = 'intent-lsp: verify', items = problems })
  end
  if found.ok then
    -- A chain that joins is consistent; how much of it is proved is another question.
    telling.tell(
      ('the ledger is intact; records: %d%s; proved: %s'):format(
        found.records,
        listed,
        found.proved
      )
    )
  else
    telling.refuse(('the ledger is NOT intact; records: %d%s'):format(found.records, listed))
    vim.cmd('botright copen')
  end
end

function M.verify()
  asking.request_here('intent/verify', {}, show)
end

return M
