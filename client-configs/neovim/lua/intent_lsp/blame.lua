-- Which intent lines come from, behind the lines: when asked for, or wherever the cursor goes.
-- Nothing here waits for the server.

local attachment = require('intent_lsp.attachment')
local options = require('intent_lsp.options')
local telling = require('intent_lsp.telling')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('intent_lsp_blame')
local GROUP = 'intent_lsp_blame'
-- Milliseconds that the cursor rests before it is asked about.
local REST = 200
local NOTHING = telling.word('')

local asked = {} -- by buffer: the question that is under way, as `{ client, id }`
local following = false
local move = 0 -- counts the cursor's moves, so that only the last is asked about

local function own_words(format, run)
  local fine, said = pcall(format, run)
  if not fine then
    telling.warn_once('blame_format: ' .. tostring(said))
  end
  return fine and telling.word(said) or NOTHING
end

--- Name who wrote a run of lines: a person, an agent by its model, or both.
local function writer(run)
  local person = telling.word(run.author)
  if person == NOTHING then
    person = run.isYou == true and 'you' or 'a person'
  end
  local model = telling.word(run.modelIdentifier)
  if run.entityType == 'HUMAN' then
    return person
  end
  return run.entityType == 'MIXED' and model .. ' and ' .. person or model
end

--- Say where a run of lines comes from.
local function words(run)
  local format = options.get('blame_format')
  if format then
    return own_words(format, run)
  elseif not run.recordId then
    return 'no record explains this line'
  end
  local day = telling.word(run.timestamp):sub(1, 10)
  local said = { run.intentId or 'no intent', writer(run), day, telling.word(run.toolName) }
  if run.scopeValidation == 'FAIL' then
    said[#said + 1] = 'out of scope'
  end
  if run.confidence ~= 'exact' then
    said[#said + 1] = telling.word(run.confidence)
  end
  return telling.word(table.concat(said, ', '))
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
    local said = words(run)
    if run.startLine <= last and said ~= NOTHING then
      vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, run.startLine - 1, 0, {
        virt_text = { { '  ' .. said, 'IntentLspBlame' } },
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
  local question = asked[bufnr]
  asked[bufnr] = nil
  if question and question.id then
    question.client:cancel_request(question.id)
  end
end

--- Ask about the lines from `first` to `last`, counted from 1; an answer that comes after the text
--- has changed, or after another question, is dropped.
local function ask(client, bufnr, first, last, on_runs)
  cancel(bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local question = { client = client }
  asked[bufnr] = question
  local params = {
    uri = vim.uri_from_bufnr(bufnr),
    workspaceUri = vim.uri_from_fname(client.root_dir),
    range = {
      start = { line = first - 1, character = 0 },
      ['end'] = { line = last, character = 0 },
    },
  }
  local _, id = client:request('intent/blame', params, function(err, result)
    if asked[bufnr] ~= question then
      return
    end
    asked[bufnr] = nil
    local same = vim.api.nvim_buf_is_loaded(bufnr)
      and vim.api.nvim_buf_get_changedtick(bufnr) == tick
    if same then
      on_runs(err, result and result.lines)
    end
  end, bufnr)
  question.id = id
end

--- What was said of a text does not hold for the next one.
local function clear_on_change(bufnr)
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'BufUnload' }, {
    group = vim.api.nvim_create_augroup(GROUP .. bufnr, {}),
    buffer = bufnr,
    callback = function()
      clear(bufnr)
    end,
  })
end

--- Show where the lines come from, the cursor's line unless given; hide it where it is shown.
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
    telling.warn('this buffer is not governed, or its server has not started yet')
    return
  end
  ask(client, bufnr, first, last, function(err, runs)
    if err then
      telling.refuse(err.message)
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
  -- Whoever only moves through a file has not asked: no error is shown, nor a line without one.
  ask(client, bufnr, line, line, function(err, runs)
    local known = vim.tbl_filter(function(run)
      return run.recordId ~= nil
    end, err and {} or runs)
    clear(bufnr)
    draw(bufnr, known)
  end)
end

local function on_move(event)
  move = move + 1
  local this = move
  clear(event.buf)
  vim.defer_fn(function()
    if following and this == move and vim.api.nvim_get_current_buf() == event.buf then
      show_line(event.buf)
    end
  end, REST)
end

local function clear_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    cancel(bufnr)
    clear(bufnr)
  end
end

--- Show it for the cursor's line wherever the cursor goes, or stop that.
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
