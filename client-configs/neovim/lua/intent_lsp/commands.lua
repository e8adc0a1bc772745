-- The user commands: their arguments, ranges and bangs, passed on to the Lua functions.

local intent_lsp = require('intent_lsp')

local M = {}

--- Return the path that the argument of a command names: `%` is the current file, '' is none.
local function file_argument(argument)
  if argument == '' then
    return nil
  end
  local path = argument == '%' and vim.api.nvim_buf_get_name(0) or argument
  return path == '' and '' or vim.fs.normalize(vim.fs.abspath(path))
end

--- Return whether the argument of `:IntentTrace` is a file rather than an intent.
local function is_file(argument)
  return argument == '%' or argument:find('/', 1, true) ~= nil or vim.uv.fs_lstat(argument) ~= nil
end

function M.select(opts)
  intent_lsp.select(opts.args)
end

function M.clear()
  intent_lsp.clear()
end

function M.status()
  intent_lsp.status()
end

function M.trace(opts)
  local argument = opts.args
  local wanted = { quickfix = opts.bang }
  if is_file(argument) then
    wanted.path = file_argument(argument)
  elseif argument ~= '' then
    wanted.intent_id = argument
  end
  intent_lsp.trace(wanted)
end

--- Return the completions of `:IntentTrace`: this file, open intents, and files.
function M.trace_arguments(prefix)
  local found = prefix == '' and { '%' } or {}
  vim.list_extend(found, intent_lsp.complete(prefix))
  return vim.list_extend(found, vim.fn.getcompletion(prefix, 'file'))
end

function M.blame(opts)
  if opts.bang then
    intent_lsp.follow()
  else
    intent_lsp.blame(opts.line1, opts.line2)
  end
end

function M.verify()
  intent_lsp.verify()
end

function M.drafts(opts)
  intent_lsp.drafts(file_argument(opts.args))
end

function M.report(opts)
  intent_lsp.report(file_argument(opts.args), { force = opts.bang })
end

function M.init(opts)
  intent_lsp.init(opts.args)
end

return M
