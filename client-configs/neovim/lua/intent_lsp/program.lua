-- The server's program as a command line of its own, for what no request does.

local M = {}

local SERVE = 'serve'

--- Give the words before `serve` of a server's command; nil: it is a function, and no program.
function M.words(cmd)
  if type(cmd) ~= 'table' then
    return nil
  end
  local found = {}
  for _, word in ipairs(cmd) do
    if word == SERVE then
      break
    end
    found[#found + 1] = word
  end
  return found
end

return M
