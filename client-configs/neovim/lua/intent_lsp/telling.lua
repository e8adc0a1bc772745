-- What the person is told, one line each.

local M = {}

local function one_line(message)
  return 'intent-lsp: ' .. vim.trim((message:gsub('%s*\n%s*', ' ')))
end

function M.tell(message)
  vim.notify(one_line(message), vim.log.levels.INFO)
end

function M.warn(message)
  vim.notify(one_line(message), vim.log.levels.WARN)
end

--- Say something once in the life of this Neovim.
function M.warn_once(message)
  -- No error: one that is shown inside an autocommand would end the script around it.
  vim.notify_once(one_line(message), vim.log.levels.WARN)
end

function M.refuse(message)
  vim.notify(one_line(message), vim.log.levels.ERROR)
end

--- Spell what a server gave: nothing as a dash, and no letter that is none.
function M.word(value)
  if value == nil or value == '' then
    return '-'
  end
  return (tostring(value):gsub('%c', ' '))
end

return M
