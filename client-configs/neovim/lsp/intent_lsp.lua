-- The configuration of the server for `vim.lsp.enable('intent_lsp')`. The user's options from
-- `vim.lsp.config('intent_lsp', { … })` or `setup { … }` override it.

local attachment = require('intent_lsp.attachment')
local comparison = require('intent_lsp.comparison')
local lenses = require('intent_lsp.lenses')
local root_status = require('intent_lsp.root_status')
local roots = require('intent_lsp.roots')

return {
  cmd = { 'intent-lsp', 'serve' },
  -- There are no `filetypes`, as files of every type may be governed. If no root governs the file,
  -- `on_dir` is not called and no server is started.
  root_dir = function(bufnr, on_dir)
    local root = roots.of_buffer(bufnr)
    if root then
      on_dir(root)
    end
  end,
  capabilities = {
    experimental = {
      intent = vim.tbl_extend(
        'error',
        { notifications = true },
        lenses.capabilities,
        comparison.capabilities
      ),
    },
  },
  commands = vim.tbl_extend('error', lenses.commands, comparison.commands),
  handlers = root_status.handlers,
  on_init = attachment.on_init,
  on_exit = attachment.on_exit,
}
