-- The options of `setup`: our own, and those of `vim.lsp.config` that have a meaning here.

local messages = require('intent_lsp.messages')

local M = {}

local MAX_RECORDS = 1000

local function is_list_of_strings(value)
  return type(value) == 'table'
    and #value > 0
    and vim.iter(value):all(function(item)
      return type(item) == 'string'
    end)
end

local function is_limit(value)
  return type(value) == 'number' and value % 1 == 0 and value >= 1 and value <= MAX_RECORDS
end

-- By name: the type of an option, or a check with the text of what it expects.
local OWN_OPTIONS = {
  trace_limit = { is_limit, ('a whole number from 1 to %d'):format(MAX_RECORDS) },
  blame_format = 'function',
}
local NEOVIM_OPTIONS = {
  before_init = 'function',
  capabilities = 'table',
  cmd_cwd = 'string',
  cmd_env = 'table',
  commands = 'table',
  detached = 'boolean',
  flags = 'table',
  get_language_id = 'function',
  handlers = 'table',
  init_options = 'table',
  offset_encoding = 'string',
  on_error = 'function',
  reuse_client = 'function',
  settings = 'table',
  trace = 'string',
  cmd = {
    function(value)
      return is_list_of_strings(value) or type(value) == 'function'
    end,
    'a list of strings or a function',
  },
  root_dir = {
    function(value)
      return type(value) == 'string' or type(value) == 'function'
    end,
    'a directory or a function',
  },
}
for _, hook in ipairs({ 'on_attach', 'on_exit', 'on_init' }) do
  NEOVIM_OPTIONS[hook] = {
    function(value)
      return type(value) == 'function' or vim.islist(value)
    end,
    'a function or a list of functions',
  }
end

local DEFAULTS = { trace_limit = 20 }
local chosen = DEFAULTS

--- Return what is wrong with a value, or nil if it fits.
local function problem(rule, value)
  local fits, expected
  if type(rule) == 'table' then
    fits, expected = rule[1](value), rule[2]
  else
    fits, expected = type(value) == rule, 'a ' .. rule
  end
  return not fits and ('expected %s, got %s'):format(expected, vim.inspect(value)) or nil
end

local function all_names()
  local all = vim.tbl_keys(vim.tbl_extend('error', OWN_OPTIONS, NEOVIM_OPTIONS))
  table.sort(all)
  return table.concat(all, ', ')
end

--- Read the options of `setup`: keep our own and return Neovim's. Warn about wrong ones and leave
--- them out.
function M.read(opts)
  local config = {}
  chosen = vim.deepcopy(DEFAULTS)
  if opts ~= nil and type(opts) ~= 'table' then
    messages.warn(('setup: expected a table of options, got %s'):format(vim.inspect(opts)))
    return config
  end
  local sorted_names = vim.tbl_keys(opts or {})
  table.sort(sorted_names, function(one, other)
    return tostring(one) < tostring(other)
  end)
  for _, name in ipairs(sorted_names) do
    local value = opts[name]
    local rule = OWN_OPTIONS[name] or NEOVIM_OPTIONS[name]
    local message = not rule and ('there is no such option; there are: %s'):format(all_names())
      or problem(rule, value)
    if message then
      messages.warn(('setup: %s: %s'):format(tostring(name), message))
    elseif OWN_OPTIONS[name] then
      chosen[name] = value
    else
      config[name] = vim.deepcopy(value)
    end
  end
  return config
end

--- Return the value of one of our own options, or its default if it was not set.
function M.get(name)
  return chosen[name]
end

return M
