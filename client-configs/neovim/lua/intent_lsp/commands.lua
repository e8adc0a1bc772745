-- The commands as they are typed: what their words, ranges and bangs mean.

local intent_lsp = require('intent_lsp')

local M = {}

--- Read the word of a command that names a file: nothing, `%`, or a path.
local function file_named(word)
  if word == '' then
    return nil
  end
  local path = word == '%' and vim.api.nvim_buf_get_name(0) or word
  return path == '' and '' or vim.fs.normalize(vim.fs.abspath(path))
end

--- Whether the word of `:IntentTrace` is a file rather than an intent.
local function is_file(word)
  return word == '%' or word:find('/', 1, true) ~= nil or vim.uv.fs_lstat(word) ~= nil
end

function M.select(given)
  intent_lsp.select(given.args)
end

function M.clear()
  intent_lsp.clear()
end

function M.status()
  intent_lsp.status()
end

function M.trace(given)
  local word = given.args
  local wanted = { quickfix = given.bang }
  if is_file(word) then
    wanted.path = file_named(word)
  elseif word ~= '' then
    wanted.intent_id = word
  end
  intent_lsp.trace(wanted)
end

--- What `:IntentTrace` takes: this file, an open intent, or a file.
function M.trace_arguments(prefix)
  local found = prefix == '' and { '%' } or {}
  vim.list_extend(found, intent_lsp.complete(prefix))
  return vim.list_extend(found, vim.fn.getcompletion(prefix, 'file'))
end

function M.blame(given)
  if given.bang then
    intent_lsp.follow()
  else
    intent_lsp.blame(given.line1, given.line2)
  end
end

function M.verify()
  intent_lsp.verify()
end

function M.drafts(given)
  intent_lsp.drafts(file_named(given.args))
end

function M.report(given)
  intent_lsp.report(file_named(given.args), { force = given.bang })
end

function M.init(given)
  intent_lsp.init(given.args)
end

return M
