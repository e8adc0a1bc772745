-- Governed roots: which directory's intents govern a file. The server's own rule, so that none is
-- started where it would have nothing to say.

local M = {}

local ROOM = '/.orchestration'
M.INTENTS = '.orchestration/active_intents.yaml'
local LEDGER = ROOM .. '/agent_trace.jsonl'
local SEGMENT_ROOMS = { ROOM .. '/trace', ROOM .. '/archive' }

local function exists(path)
  -- A broken link of this name governs too, loudly.
  return vim.uv.fs_lstat(path) ~= nil
end

local function has_ledger(dir)
  if exists(dir .. LEDGER) then
    return true
  end
  for _, room in ipairs(SEGMENT_ROOMS) do
    for name in vim.fs.dir(dir .. room) do
      if vim.endswith(name, '.jsonl') then
        return true
      end
    end
  end
  return false
end

--- Whether a git work tree begins here: of a repository, a linked work tree or a submodule.
function M.is_git_top(dir)
  local git = vim.uv.fs_stat(dir .. '/.git')
  return git ~= nil and (git.type == 'file' or exists(dir .. '/.git/HEAD'))
end

--- Find the git work tree that a directory is in; nil: it is in none.
function M.git_top(dir)
  while not M.is_git_top(dir) do
    local parent = vim.fs.dirname(dir)
    if parent == dir then
      return nil
    end
    dir = parent
  end
  return dir
end

local function governs(dir)
  return exists(dir .. '/' .. M.INTENTS) or (exists(dir .. ROOM) and has_ledger(dir))
end

--- Find the directory whose intents govern what is in `dir`: the nearest one upwards that has the
--- intents file, or a ledger without it; not above the git top level nor the home directory.
function M.of_directory(dir)
  local home = vim.uv.os_homedir()
  dir = vim.fs.normalize(dir)
  while true do
    if governs(dir) then
      return dir
    end
    local parent = vim.fs.dirname(dir)
    if dir == home or parent == dir or M.is_git_top(dir) then
      return nil
    end
    dir = parent
  end
end

--- Give the path of a buffer that is a file of its own; nil: it has no name, is a page that Neovim
--- or a plugin made up, a directory, or git's own, such as a commit message.
function M.file_of(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path == '' or vim.bo[bufnr].buftype ~= '' or path:match('^%a[%w+.-]+://') then
    return nil
  end
  path = vim.fs.normalize(path)
  if path:find('/.git/', 1, true) or vim.fn.isdirectory(path) == 1 then
    return nil
  end
  return path
end

--- Find the root that governs a buffer's file; nil: nobody does, or it is not a file.
function M.of_buffer(bufnr)
  local path = M.file_of(bufnr)
  return path and M.of_directory(vim.fs.dirname(path))
end

return M
