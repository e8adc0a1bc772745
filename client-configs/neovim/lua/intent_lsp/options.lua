-- The options of `setup`: ours, and those of `vim.lsp.config` that mean something here.

local telling = require('intent_lsp.telling')

local M = {}

local MOST_RECORDS = 1000

local function list_of_words(value)
  return type(value) == 'table'
    and #value > 0
    and vim.iter(value):all(function(word)
      return type(word) == 'string'
    end)
end

local function is_limit(value)
  return type(value) == 'number' and value % 1 == 0 and value >= 1 and value <= MOST_RECORDS
end

-- By name: the types that an option may have, or whether a value fits and what would.
local OURS = {
  trace_limit = { is_limit, ('a whole number from 1 to %d'):format(MOST_RECORDS) },
  blame_format = 'function',
}
local OF_NEOVIM = {
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
      return list_of_words(value) or type(value) == 'function'
    end,
    'a list of words or a function',
  },
  root_dir = {
    function(value)
      return type(value) == 'string' or type(value) == 'function'
    end,
    'a directory or a function',
  },
}
for _, hook in ipairs({ 'on_attach', 'on_exit', 'on_init' }) do
  OF_NEOVIM[hook] = {
    function(value)
      return type(value) == 'function' or vim.islist(value)
    end,
    'a function or a list of functions',
  }
end

local DEFAULTS = { trace_limit = 20 }
local chosen = DEFAULTS

--- Give what is wrong with a value; nil: nothing.
local function problem(rule, value)
  local fits, wanted
  if type(rule) == 'table' then
    fits, wanted = rule[1](value), rule[2]
  else
    fits, wanted = type(value) == rule, 'a ' .. rule
  end
  return not fits and ('expected %s, got %s'):format(wanted, vim.inspect(value)) or nil
end

local function names()
  local all = vim.tbl_keys(vim.tbl_extend('error', OURS, OF_NEOVIM))
  table.sort(all)
  return table.concat(all, ', ')
end

--- Read the options of `setup`; give those that are Neovim's. What does not fit is said and left
--- out.
function M.read(given)
  local config = {}
  chosen = vim.deepcopy(DEFAULTS)
  if given ~= nil and type(given) ~= 'table' then
    telling.warn(('setup: expected a table of options, got %s'):format(vim.inspect(given)))
    return config
  end
  local named = vim.tbl_keys(given or {})
  table.sort(named, function(one, other)
    return tostring(one) < tostring(other)
  end)
  for _, name in ipairs(named) do
    local value = given[name]
    local rule = OURS[name] or OF_NEOVIM[name]
    local wrong = not rule and ('there is no such option; there are: ' .. names())
      or problem(rule, value)
    if wrong then
      telling.warn(('setup: %s: %s'):format(tostring(name), wrong))
    elseif OURS[name] then
      chosen[name] = value
    else
      config[name] = vim.deepcopy(value)
    end
  end
  return config
end

--- Give one of our own options as it was set, or as it is unless it is set.
function M.get(name)
  return chosen[name]
end

return M
