-- A person's init.lua, as client-configs/neovim/README.md tells them to write it.

local given = vim.json.decode(vim.env.STORY_GIVEN)

vim.opt.runtimepath:append(given.config)
require('intent_lsp').setup({ cmd = given.cmd })
