-- Written mistakes in the intents file, explained by hovers and mended by quick fixes.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

--- Put the cursor on the first place of a text in the buffer.
local function go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search('\\V' .. text, 'c') > 0, text)
end

--- Hover over the first place of a text, and return the lines that are shown.
local function hover(text)
  go_to(text)
  vim.lsp.buf.hover()
  local window = H.wait('a hover on ' .. text, function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end)
  end)
  local lines = H.lines(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_close(window, true)
  return lines
end

H.run(function()
  H.edit(INTENTS)
  H.attached()
  H.report('glob', hover('src/auth'))
  H.report('status', hover('PLANNED'))
  H.type(3, 4, { '    statuss: PLANNED' })
  H.type(5, 5, { '    scope: [src/auth/*, *.py]' })
  H.type(4, 5, {})
  H.wait('what is wrong is marked', function()
    return #H.problems() >= 3
  end)
  go_to('statuss')
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'quickfix' } } })
  H.wait('one is put right', function()
    return H.lines()[4] == '    status: PLANNED'
  end)
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'source.fixAll' } } })
  H.wait('all is put right', function()
    return H.lines()[5]:find('owned_scope', 1, true)
  end)
  H.report('put right', vim.list_slice(H.lines(), 2, 5))
end)
