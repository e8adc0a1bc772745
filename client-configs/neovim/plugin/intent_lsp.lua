-- The user commands. No other module is loaded before one of them is used.

if vim.g.loaded_intent_lsp or vim.fn.has('nvim-0.11') == 0 then
  return
end
vim.g.loaded_intent_lsp = true

local function command(name, does, attributes)
  vim.api.nvim_create_user_command(name, function(given)
    require('intent_lsp.commands')[does](given)
  end, attributes)
end

local function ids(prefix)
  return require('intent_lsp').complete(prefix)
end

-- Not `complete = 'file'`, with which Vim would expand `%` and wildcards before we see them.
local function files(prefix)
  return vim.fn.getcompletion(prefix, 'file')
end

local function trace_arguments(prefix)
  return require('intent_lsp.commands').trace_arguments(prefix)
end

command('IntentSelect', 'select', {
  nargs = '?',
  complete = ids,
  desc = 'Select the intent that you work for',
})
command('IntentClear', 'clear', { desc = 'Work without an intent' })
command('IntentStatus', 'status', { desc = 'Show the active intent and the ledger' })
command('IntentTrace', 'trace', {
  nargs = '?',
  bang = true,
  complete = trace_arguments,
  desc = 'Show the newest records; with ! in the quickfix list',
})
command('IntentBlame', 'blame', {
  range = true,
  bang = true,
  bar = true,
  desc = 'Show which intent lines come from; with ! wherever the cursor goes',
})
command('IntentVerify', 'verify', { desc = 'Check the ledger' })
command('IntentDrafts', 'drafts', {
  nargs = '?',
  complete = files,
  desc = 'Restore a text whose save was refused',
})
command('IntentReport', 'report', {
  nargs = '?',
  bang = true,
  complete = files,
  desc = 'Write the ledger as one page of HTML',
})
command('IntentInit', 'init', {
  nargs = '?',
  complete = 'dir',
  desc = 'Govern a directory from now on',
})
