-- Blame: which intent and author lines come from, as virtual text behind the lines. It is shown
-- by a command, or for the cursor's line. No request blocks the editor.

local attachment = require('intent_lsp.attachment')
local messages = require('intent_lsp.messages')
local options = require('intent_lsp.options')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('intent_lsp_blame')
local GROUP = 'intent_lsp_blame'
-- Milliseconds for which the cursor rests before its line is requested.
local DELAY = 200
local EMPTY = messages.printable('')

local pending = {} -- by buffer: the pending request, as `{ client, id }`
local following = false
local move_count = 0 -- counts the cursor's moves, so that only the last sends a request

--- Return what the user's own `blame_format` makes of a run of lines.
local function custom_text(format, run)
  local ok, text = pcall(format, run)
  if not ok then
    messages.warn_once('blame_format: ' .. tostring(text))
  end
  return ok and messages.printable(text) or EMPTY
end

--- Return who wrote a run of lines: a person, an agent by its model, or both.
local function author(run)
  local person = messages.printable(run.author)
  if person == EMPTY then
    person = run.isYou == true and 'you' or 'a person'
  end
  local model = messages.printable(run.modelIdentifier)
  if run.entityType == 'HUMAN' then
    return person
  end
  return run.entityType == 'MIXED' and model .. ' and ' .. person or model
end

--- Return the text that is shown behind a run of lines.
local function blame_text(run)
  local format = options.get('blame_format')
  if format then
    return custom_text(format, run)
  elseif not run.recordId then
    return 'no record of the ledger explains this line'
  end
  local day = messages.printable(run.timestamp):sub(1, 10)
  local parts = { run.intentId or 'no intent', author(run), day, messages.printable(run.toolName) }
  if run.scopeValidation == 'FAIL' then
    parts[#parts + 1] = 'violation'
  end
  if run.confidence ~= 'exact' then
    parts[#parts + 1] = messages.printable(run.confidence)
  end
  return messages.printable(table.concat(parts, ', '))
end

local function clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
  end
end

local function draw(bufnr, runs)
  vim.api.nvim_set_hl(0, 'IntentLspBlame', { link = 'NonText', default = true })
  local last = vim.api.nvim_buf_line_count(bufnr)
  for _, run in ipairs(runs) do
    local text = blame_text(run)
    if run.startLine <= last and text ~= EMPTY then
      vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, run.startLine - 1, 0, {
        virt_text = { { '  ' .. text, 'IntentLspBlame' } },
        hl_mode = 'combine',
      })
    end
  end
end

local function client_of(bufnr)
  return vim.iter(vim.lsp.get_clients({ bufnr = bufnr, name = attachment.NAME }))
    :find(function(client)
      return client.initialized == true
    end)
end

local function cancel(bufnr)
  local request = pending[bufnr]
  pending[bufnr] = nil
  if request and request.id then
    request.client:cancel_request(request.id)
  end
end

--- Request the blame of the lines from `first` to `last`, which count from 1. An answer is dropped
--- if the text has changed meanwhile, or if another request has followed.
local function request_blame(client, bufnr, first, last, on_runs)
  cancel(bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local request = { client = client }
  pending[bufnr] = request
  local params = {
    uri = vim.uri_from_bufnr(bufnr),
    workspaceUri = vim.uri_from_fname(client.root_dir),
    range = {
      start = { line = first - 1, character = 0 },
      ['end'] = { line = last, character = 0 },
    },
  }
  local _, id = client:request('intent/blame', params, function(err, result)
    if pending[bufnr] ~= request then
      return
    end
    pending[bufnr] = nil
    local same = vim.api.nvim_buf_is_loaded(bufnr)
      and vim.api.nvim_buf_get_changedtick(bufnr) == tick
    if same then
      on_runs(err, result and result.lines)
    end
  end, bufnr)
  request.id = id
end

--- Clear the blame when the text changes, since it may not hold for the new text.
local function clear_on_change(bufnr)
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'BufUnload' }, {
    group = vim.api.nvim_create_augroup(GROUP .. bufnr, {}),
    buffer = bufnr,
    callback = function()
      clear(bufnr)
    end,
  })
end

--- Show the blame of the lines from `first` to `last`, by default of the cursor's line. Hide it if
--- it is shown there.
function M.toggle(first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  first = first or vim.api.nvim_win_get_cursor(0)[1]
  last = last or first
  local from, to = { first - 1, 0 }, { last - 1, -1 }
  local shown = #vim.api.nvim_buf_get_extmarks(bufnr, NAMESPACE, from, to, {}) > 0
  clear(bufnr)
  if shown then
    cancel(bufnr)
    return
  end
  local client = client_of(bufnr)
  if not client then
    messages.warn('no intents file governs this buffer, or the server has not started yet')
    return
  end
  request_blame(client, bufnr, first, last, function(err, runs)
    if err then
      messages.error(err.message)
      return
    end
    draw(bufnr, runs)
    clear_on_change(bufnr)
  end)
end

local function show_line(bufnr)
  local client = client_of(bufnr)
  if not client then
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  -- The user has only moved the cursor: show neither errors nor lines without a record.
  request_blame(client, bufnr, line, line, function(err, runs)
    local known = vim.tbl_filter(function(run)
      return run.recordId ~= nil
    end, err and {} or runs)
    clear(bufnr)
    draw(bufnr, known)
  end)
end

local function on_move(event)
  move_count = move_count + 1
  local this = move_count
  clear(event.buf)
  vim.defer_fn(function()
    if following and this == move_count and vim.api.nvim_get_current_buf() == event.buf then
      show_line(event.buf)
    end
  end, DELAY)
end

local function clear_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    cancel(bufnr)
    clear(bufnr)
  end
end

--- Begin or stop to show the blame of the cursor's line wherever the cursor goes.
function M.follow()
  following = not following
  local group = vim.api.nvim_create_augroup(GROUP, {})
  if not following then
    clear_all()
    return
  end
  local moves = { 'CursorMoved', 'CursorMovedI', 'BufEnter', 'TextChanged', 'TextChangedI' }
  vim.api.nvim_create_autocmd(moves, { group = group, callback = on_move })
  on_move({ buf = vim.api.nvim_get_current_buf() })
end

return M
