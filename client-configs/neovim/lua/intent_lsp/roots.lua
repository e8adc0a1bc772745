-- Governed roots: which directory's intents govern a file. The rule is the same as the server's, so
-- that no server is started where no root governs.

local M = {}

local DIRECTORY = '/.orchestration'
M.INTENTS = '.orchestration/active_intents.yaml'
local LEDGER = DIRECTORY .. '/agent_trace.jsonl'
local SEGMENT_DIRECTORIES = { DIRECTORY .. '/trace', DIRECTORY .. '/archive' }

local function exists(path)
  -- A broken link counts, so that the server reports it instead of nobody noticing.
  return vim.uv.fs_lstat(path) ~= nil
end

local function has_ledger(dir)
  if exists(dir .. LEDGER) then
    return true
  end
  for _, directory in ipairs(SEGMENT_DIRECTORIES) do
    for name in vim.fs.dir(dir .. directory) do
      if vim.endswith(name, '.jsonl') then
        return true
      end
    end
  end
  return false
end

--- Return whether a directory is the top of a git work tree: of a repository, a linked work tree or
--- a submodule.
function M.is_git_top(dir)
  local git = vim.uv.fs_stat(dir .. '/.git')
  return git ~= nil and (git.type == 'file' or exists(dir .. '/.git/HEAD'))
end

--- Return the top of the git work tree that a directory is in, or nil if it is in none.
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
  return exists(dir .. '/' .. M.INTENTS) or (exists(dir .. DIRECTORY) and has_ledger(dir))
end

--- Return the root that governs `dir`, or nil if none does. It is the nearest directory, from `dir`
--- upwards, that has an intents file or a ledger. The search ends at the top of the git work tree
--- and at the home directory.
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

--- Return the path of a buffer that is a file, or nil if it is not: if it has no name, or is a page
--- of a plugin, a directory, or a file inside `.git`, such as a commit message.
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

--- Return the root that governs a buffer's file, or nil if none does or it is not a file.
function M.of_buffer(bufnr)
  local path = M.file_of(bufnr)
  return path and M.of_directory(vim.fs.dirname(path))
end

return M
