-- A plugin manager that comes after Neovim has looked for plugins.

local H = dofile(vim.env.SCRIPT_HARNESS)

H.run(function()
  local buffer = H.edit('src/auth/login.py')
  H.report('before', { command = vim.fn.exists(':IntentStatus') })
  vim.opt.runtimepath:append(H.given.config)
  require('intent_lsp').setup({ cmd = H.given.cmd })
  H.report('after', { command = vim.fn.exists(':IntentStatus') })
  H.attached(buffer)
  H.status_shows('no intent')
  H.report('told', vim.trim(H.messages()))
end)
