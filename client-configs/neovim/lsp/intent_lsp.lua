-- The server as `vim.lsp.enable('intent_lsp')` knows it. What a person sets with
-- `vim.lsp.config('intent_lsp', { … })` or `setup { … }` goes over it.

local attachment = require('intent_lsp.attachment')
local roots = require('intent_lsp.roots')
local standing = require('intent_lsp.standing')

return {
  cmd = { 'intent-lsp', 'serve' },
  -- Whatever has a name may be governed, so there are no `filetypes`; where nobody governs,
  -- `on_dir` is not called and no server is started.
  root_dir = function(bufnr, on_dir)
    local root = roots.of_buffer(bufnr)
    if root then
      on_dir(root)
    end
  end,
  capabilities = { experimental = { intent = { notifications = true } } },
  handlers = standing.handlers,
  on_init = attachment.on_init,
  on_exit = attachment.on_exit,
}
