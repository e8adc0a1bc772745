-- The newest records of a root, a file or an intent, in a page or in the quickfix list.

local messages = require('intent_lsp.messages')
local options = require('intent_lsp.options')
local pages = require('intent_lsp.pages')
local records = require('intent_lsp.records')
local requests = require('intent_lsp.requests')

local M = {}

local function open_record(root, record, flags)
  local short = messages.printable(record.id):sub(1, 8)
  pages.fill(pages.show('record/' .. short, root), records.rows(root, record, flags))
end

--- Return the rows of a list: one for each record, and one that loads older records.
local function list_rows(client, list, more)
  local rows = {}
  for index, record in ipairs(list.records) do
    local flags = list.flags[record.id]
    rows[index] = records.row(record, flags)
    rows[index].open = function()
      open_record(client.root_dir, record, flags)
    end
  end
  if list.cursor then
    rows[#rows + 1] = { text = 'older records …', open = more }
  end
  return rows
end

local function fill(bufnr, client, params, list)
  local function more()
    params.cursor = list.cursor
    requests.send(client, 'intent/trace', params, function(older)
      if not vim.api.nvim_buf_is_valid(bufnr) then
        return
      end
      vim.list_extend(list.records, older.records)
      list.flags = vim.tbl_extend('force', list.flags, older.flags)
      list.cursor = older.cursor
      fill(bufnr, client, params, list)
    end)
  end
  pages.fill(bufnr, list_rows(client, list, more))
end

local function to_quickfix(client, list, title)
  local entries = {}
  for _, record in ipairs(list.records) do
    vim.list_extend(entries, records.entries(client.root_dir, record))
  end
  vim.fn.setqflist({}, ' ', { title = 'intent-lsp: ' .. title, items = entries })
  vim.cmd('botright copen')
end

local function page_title(filter)
  local subject = filter.intent_id or filter.path and vim.fs.basename(filter.path)
  return subject and 'records of ' .. subject or 'records'
end

--- Show the records of `filter.path` (absolute), of `filter.intent_id`, or all. Show them in the
--- quickfix list if `filter.quickfix` is true.
function M.open(filter)
  if filter.path == '' then
    messages.warn('this buffer is not a file')
    return
  end
  local params = {
    intentId = filter.intent_id,
    uri = filter.path and vim.uri_from_fname(filter.path),
    limit = options.get('trace_limit'),
  }
  requests.send_here('intent/trace', params, function(list, client)
    local title = page_title(filter)
    if #list.records == 0 then
      messages.info(('there are no %s'):format(title))
    elseif filter.quickfix then
      to_quickfix(client, list, title)
    else
      fill(pages.show(title, client.root_dir), client, params, list)
    end
  end)
end

return M
