-- Messages for the user, each in one line.

local M = {}

local function one_line(message)
  return 'intent-lsp: ' .. vim.trim((message:gsub('%s*\n%s*', ' ')))
end

function M.info(message)
  vim.notify(one_line(message), vim.log.levels.INFO)
end

function M.warn(message)
  vim.notify(one_line(message), vim.log.levels.WARN)
end

--- Show a warning that is shown only once in this Neovim.
function M.warn_once(message)
  -- A warning, as an error shown inside an autocommand would end the script around it.
  vim.notify_once(one_line(message), vim.log.levels.WARN)
end

function M.error(message)
  vim.notify(one_line(message), vim.log.levels.ERROR)
end

--- Return a value from the server as text in one line: '-' for none, blanks for control characters.
function M.printable(value)
  if value == nil or value == '' then
    return '-'
  end
  return (tostring(value):gsub('%c', ' '))
end

return M
