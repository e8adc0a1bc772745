-- An intent renamed with Neovim's own client, and the session that goes on under the new id.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

H.run(function()
  H.edit('src/auth/login.py')
  H.attached()
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  -- Where another server renames, ours is not asked.
  local client = H.clients()[1]
  local elsewhere = client:supports_method('textDocument/rename', vim.api.nvim_get_current_buf())

  local bufnr = H.edit(INTENTS)
  H.attached(bufnr)
  vim.cmd.checktime()
  H.wait('renames are registered for the intents file', function()
    return client:supports_method('textDocument/rename', bufnr)
  end)
  H.report('in a source file', elsewhere)
  H.go_to('INT-001')
  vim.lsp.buf.document_highlight()
  vim.lsp.buf.rename('AUTH')
  H.wait('renamed', function()
    return table.concat(H.lines(), '\n'):find('id: AUTH', 1, true)
  end)
  H.report('renamed', H.lines())

  H.go_to('AUTH')
  vim.cmd.messages('clear')
  vim.lsp.buf.rename('INT-002')
  H.report('refused', H.message('was not renamed'))

  H.write()
  H.status_shows('AUTH')
  H.report('status', H.statusline())
end)
