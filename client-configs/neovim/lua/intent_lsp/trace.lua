-- The newest records of a root, a file or an intent, in a page or in the quickfix list.

local asking = require('intent_lsp.asking')
local options = require('intent_lsp.options')
local pages = require('intent_lsp.pages')
local records = require('intent_lsp.records')
local telling = require('intent_lsp.telling')

local M = {}

local function open_record(root, record, flags)
  local short = telling.word(record.id):sub(1, 8)
  pages.fill(pages.show('record/' .. short, root), records.rows(root, record, flags))
end

--- Make the rows of a list: those of the records, and one that asks for older ones.
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
    asking.request(client, 'intent/trace', params, function(older)
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

local function title_of(wanted)
  local of = wanted.intent_id or wanted.path and vim.fs.basename(wanted.path)
  return of and 'records of ' .. of or 'records'
end

--- Show the records of `wanted.path` (absolute), of `wanted.intent_id`, or all.
function M.open(wanted)
  if wanted.path == '' then
    telling.warn('this buffer is not a file')
    return
  end
  local params = {
    intentId = wanted.intent_id,
    uri = wanted.path and vim.uri_from_fname(wanted.path),
    limit = options.get('trace_limit'),
  }
  asking.request_here('intent/trace', params, function(list, client)
    local title = title_of(wanted)
    if #list.records == 0 then
      telling.tell('there are no ' .. title)
    elseif wanted.quickfix then
      to_quickfix(client, list, title)
    else
      fill(pages.show(title, client.root_dir), client, params, list)
    end
  end)
end

return M
