-- A person's init.lua, as client-configs/neovim/README.md tells them to write it; with `bare`
-- without a call of `setup`, with `late` before their plugin manager has found us.

local given = vim.json.decode(vim.env.SCRIPT_GIVEN)

if not given.late then
  vim.opt.runtimepath:append(given.config)
end
if not given.bare then
  require('intent_lsp').setup({ cmd = given.cmd })
end
