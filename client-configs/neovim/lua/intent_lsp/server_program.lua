-- The server's program, for running its other commands, such as `intent-lsp trace report`.

local M = {}

local SERVE = 'serve'

--- Return the words of a server's `cmd` before `serve`, or nil if `cmd` is a function.
function M.command_prefix(cmd)
  if type(cmd) ~= 'table' then
    return nil
  end
  local prefix = {}
  for _, word in ipairs(cmd) do
    if word == SERVE then
      break
    end
    prefix[#prefix + 1] = word
  end
  return prefix
end

return M
