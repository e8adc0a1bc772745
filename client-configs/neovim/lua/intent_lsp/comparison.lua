-- The client's command that shows a buffer beside its file on disk, in Neovim's diff mode.

local messages = require('intent_lsp.messages')

local M = {}

local COMMAND = 'intentLsp.compareWithDisk'

--- Return a window that shows a buffer: the current one if it does, else another, else a new one.
local function window_of(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  if window == -1 then
    vim.cmd.sbuffer(bufnr)
    return vim.api.nvim_get_current_win()
  end
  return window
end

--- Show the file on disk beside the buffer of a document, whose URI is the argument of `command`.
local function compare(command)
  local bufnr = vim.uri_to_bufnr(command.arguments[1])
  local path = vim.api.nvim_buf_get_name(bufnr)
  if vim.fn.filereadable(path) == 0 then
    messages.warn(path .. ' cannot be read from disk')
    return
  end
  local window, filetype = window_of(bufnr), vim.bo[bufnr].filetype
  vim.api.nvim_set_current_win(window)
  vim.cmd.diffthis()
  vim.cmd('leftabove vertical new')
  -- Read by Neovim, so that line ends, encoding and byte order mark are taken as for the buffer.
  vim.cmd('silent keepalt read ++edit ' .. vim.fn.fnameescape(path))
  vim.cmd('silent 1delete _')
  local scratch = vim.bo[vim.api.nvim_get_current_buf()]
  scratch.buftype, scratch.bufhidden, scratch.swapfile = 'nofile', 'wipe', false
  scratch.modifiable, scratch.filetype = false, filetype
  vim.cmd.diffthis()
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = vim.api.nvim_get_current_buf(),
    callback = function()
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_call(window, vim.cmd.diffoff)
      end
    end,
  })
  vim.api.nvim_set_current_win(window)
end

M.commands = { [COMMAND] = compare }

--- What the client declares, so that the server's code action runs this command.
M.capabilities = { compareCommand = COMMAND }

return M
