-- A plugin manager that comes after Neovim has looked for plugins.

local H = dofile(vim.env.STORY_HARNESS)

H.run(function()
  local buffer = H.edit('src/auth/login.py')
  H.say('before', { command = vim.fn.exists(':IntentStatus') })
  vim.opt.runtimepath:append(H.given.config)
  require('intent_lsp').setup({ cmd = H.given.cmd })
  H.say('after', { command = vim.fn.exists(':IntentStatus') })
  H.attached(buffer)
  H.stands('no intent')
  H.say('told', vim.trim(H.messages()))
end)
