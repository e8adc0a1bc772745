-- Completion of the intents file, with Neovim's own client and its own snippets.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

--- Put lines at the end of the buffer and the cursor behind them, and return what is proposed.
local function proposed(lines)
  vim.api.nvim_buf_set_lines(0, -1, -1, false, lines)
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), #lines[#lines] })
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'intent_lsp' })[1]
  local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local here = vim.api.nvim_get_current_buf()
  local answer = assert(client:request_sync('textDocument/completion', place, 10000, here))
  return client, answer.result.items
end

--- Accept a proposal as Neovim does: delete what was typed, and expand the snippet.
local function accept(items, label)
  local item = vim.iter(items):find(function(each)
    return each.label == label
  end)
  local range = item.textEdit.range
  local start, last = range.start, range['end']
  vim.api.nvim_buf_set_text(0, start.line, start.character, last.line, last.character, { '' })
  vim.api.nvim_win_set_cursor(0, { start.line + 1, start.character })
  vim.snippet.expand(item.textEdit.newText)
  vim.snippet.stop()
end

H.run(function()
  -- As in insert mode, the cursor may be behind the last character.
  vim.o.virtualedit = 'onemore'
  H.edit(INTENTS)
  H.attached()
  local count = vim.api.nvim_buf_line_count(0)

  local client, items = proposed({ '  - ' })
  accept(items, 'new intent INT-003')
  _, items = proposed({ '    con' })
  accept(items, 'constraints')
  _, items = proposed({ '    related_files: ["é", "sr' })
  accept(items, 'src/')
  H.report('written', vim.api.nvim_buf_get_lines(0, count, -1, false))

  _, items = proposed({ '    ' })
  local resolved = client:request_sync('completionItem/resolve', items[1], 10000, 0)
  H.report('documented', { items[1].label, resolved.result.documentation.kind })
end)
