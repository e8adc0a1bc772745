-- Where lines come from, and what others write behind the editor's back.

local H = dofile(vim.env.SCRIPT_HARNESS)
local LOGIN = 'src/auth/login.py'

local function hovered(line)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  return H.hover()
end

local function lenses()
  vim.lsp.codelens.refresh({ bufnr = 0 })
  return H.wait('a lens', function()
    local found = vim.tbl_map(function(lens)
      return { lens.range.start.line, lens.command and lens.command.title }
    end, vim.lsp.codelens.get(0))
    return #found > 0 and found
  end)
end

H.run(function()
  vim.lsp.config('intent_lsp', { init_options = { codeLens = true } })
  H.edit(LOGIN)
  H.attached()
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.type(-1, -1, { 'def login():', '    return True' })
  H.write()
  H.report('record', H.traced(1))
  H.report('hover', hovered(vim.api.nvim_buf_line_count(0)))
  H.report('lenses', lenses())

  -- A process that is no editor writes two files, of which one was never opened here.
  vim.cmd.badd(H.path('src/billing/invoice.py'))
  H.report('written', vim.system(H.given.agent, { text = true }):wait().code)
  local invoice = vim.fn.bufnr(H.path('src/billing/invoice.py'))
  H.report('shown', H.shows({ 'SCOPE_VIOLATION' }, invoice))
end)
