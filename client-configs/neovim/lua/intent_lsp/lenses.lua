-- The client's commands that code lenses of the intents file run: lists of records and of files.

local M = {}

--- Show locations in the quickfix list. The arguments of `command` are a URI, a position and the
--- locations.
local function show_locations(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local encoding = client and client.offset_encoding or 'utf-16'
  local items = vim.lsp.util.locations_to_items(command.arguments[3], encoding)
  vim.fn.setqflist({}, ' ', { title = 'intent-lsp: ' .. command.title, items = items })
  vim.cmd('botright copen')
end

--- Show the records of an intent, whose id is the argument of `command`.
local function show_records(command)
  require('intent_lsp.trace').open({ intent_id = command.arguments[1] })
end

M.commands = {
  ['intentLsp.showLocations'] = show_locations,
  ['intentLsp.showRecords'] = show_records,
}

--- What the client declares, so that the server's lenses run these commands.
M.capabilities = {
  locationsCommand = 'intentLsp.showLocations',
  recordsCommand = 'intentLsp.showRecords',
}

return M
