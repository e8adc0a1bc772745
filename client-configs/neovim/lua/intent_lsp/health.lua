-- `:checkhealth intent_lsp`: whether the server can be started, and where it is.

local attachment = require('intent_lsp.attachment')
local roots = require('intent_lsp.roots')

local M = {}

local PRODUCT = '(intent governance language server)'
-- Milliseconds for `--version`, which loads next to nothing.
local VERSION_TIME = 5000

local function check_program(cmd)
  if type(cmd) ~= 'table' then
    vim.health.info('the server is reached by a function of yours')
    return
  end
  if vim.fn.executable(cmd[1]) == 0 then
    vim.health.error(cmd[1] .. ' is not executable', {
      'Install it: pipx install intent-lsp',
      "Or name it: require('intent_lsp').setup({ cmd = { '/path/to/intent-lsp', 'serve' } })",
    })
    return
  end
  local command = vim.tbl_filter(function(word)
    return word ~= 'serve'
  end, cmd)
  vim.list_extend(command, { '--version' })
  local done = vim.system(command, { text = true }):wait(VERSION_TIME)
  local said = vim.trim(done.stdout or '')
  if done.code == 0 and said:find(PRODUCT, 1, true) then
    vim.health.ok(said)
  else
    vim.health.error(('%s is another program; it says %q'):format(cmd[1], said))
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = attachment.NAME })
  if #clients == 0 then
    vim.health.info('no server runs: no open file has ' .. roots.INTENTS .. ' above it')
  end
  for _, client in ipairs(clients) do
    vim.health.ok(
      ('%s: %d buffers, positions in %s'):format(
        client.root_dir,
        vim.tbl_count(client.attached_buffers),
        client.offset_encoding
      )
    )
  end
end

function M.check()
  vim.health.start('intent-lsp')
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.error('Neovim 0.11 or newer is needed')
    return
  end
  local config = vim.lsp.config[attachment.NAME]
  if not vim.lsp.is_enabled(attachment.NAME) then
    vim.health.warn("not enabled; call require('intent_lsp').setup()")
  end
  check_program(config.cmd)
  check_clients()
end

return M
