-- Code lenses of the intents file, shown and run by Neovim's own functions.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

--- Refresh the lenses, and wait until their titles are those of a pattern. Return the titles.
local function titles(pattern)
  local shown
  H.wait('lenses: ' .. pattern, function()
    vim.lsp.codelens.refresh({ bufnr = 0 })
    vim.wait(50)
    shown = vim.tbl_map(function(lens)
      return ('%d %s'):format(lens.range.start.line, lens.command and lens.command.title or '?')
    end, vim.lsp.codelens.get(0))
    return table.concat(shown, ' '):find(pattern) ~= nil
  end)
  return shown
end

--- Run the lens with this title on the first intent's line.
local function run(title)
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  H.answers = { title }
  vim.lsp.codelens.run()
end

H.run(function()
  H.edit(INTENTS)
  H.attached()
  H.report('shown', titles('no record.*no record'))
  run('Select')
  H.report('selected', titles('Selected'))
  run('1 file')
  H.wait('the quickfix list', function()
    return #vim.fn.getqflist() == 1
  end)
  local entry = vim.fn.getqflist({ items = 1, title = 1 })
  H.report('files', { entry.title, vim.fn.bufname(entry.items[1].bufnr), entry.items[1].lnum })
  vim.cmd.cclose()

  H.edit('src/auth/login.py')
  H.attached()
  H.status_shows('INT-001')
  H.type(0, 1, { 'line one' })
  H.write()
  H.traced(1)
  H.edit(INTENTS)
  titles('1 record')
  run('1 record')
  H.report('records', H.page('records of INT-001'))
end)
