-- Pages: read-only lines in a window, some of which <CR> opens.
--
-- A row has `text` and may have two more fields. `marks` is a list of `{ word, highlight }`: each
-- highlights the first occurrence of its word. `open` is the function that <CR> calls.

local messages = require('intent_lsp.messages')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('intent_lsp_pages')
local SCHEME = 'intent-lsp://'
M.FILETYPE = 'intentlsp'

local actions_by_buffer = {} -- by buffer and line: the function that <CR> calls

local function define_highlights()
  local links = {
    IntentLspPass = 'DiagnosticOk',
    IntentLspFail = 'DiagnosticError',
    IntentLspExempt = 'Comment',
    IntentLspIntent = 'Identifier',
    IntentLspPath = 'Directory',
  }
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

local function buffer_named(name)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == name then
      return bufnr
    end
  end
end

--- Call the `open` function of the cursor's line.
local function open_line()
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local open = (actions_by_buffer[vim.api.nvim_get_current_buf()] or {})[line]
  if open then
    open()
  end
end

local function close()
  if not pcall(vim.cmd.close) then
    -- The last window cannot be closed, so it shows another buffer.
    vim.cmd.bdelete()
  end
end

local function new_buffer(name)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].filetype = M.FILETYPE
  vim.keymap.set('n', '<CR>', open_line, { buffer = bufnr, desc = 'Open the file or record named in this line' })
  vim.keymap.set('n', 'q', close, { buffer = bufnr, desc = 'Close the page' })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    callback = function()
      actions_by_buffer[bufnr] = nil
    end,
  })
  return bufnr
end

local function highlight_rows(bufnr, rows)
  vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
  for index, row in ipairs(rows) do
    for _, mark in ipairs(row.marks or {}) do
      local first, last = row.text:find(mark[1], 1, true)
      if first and mark[1] ~= '' then
        vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, index - 1, first - 1, {
          end_col = last,
          hl_group = mark[2],
        })
      end
    end
  end
end

--- Replace the contents of a page by rows.
function M.fill(bufnr, rows)
  local lines, actions = {}, {}
  for index, row in ipairs(rows) do
    lines[index] = row.text:gsub('%c', ' ')
    actions[index] = row.open
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  actions_by_buffer[bufnr] = actions
  define_highlights()
  highlight_rows(bufnr, rows)
end

--- Show the page with this title, in the window of another page or in a new one. Return its buffer,
--- to be filled. Commands that are run in the page mean `root`.
function M.show(title, root)
  local name = SCHEME .. title
  local bufnr = buffer_named(name) or new_buffer(name)
  vim.b[bufnr].intent_lsp_root = root
  if vim.bo.filetype ~= M.FILETYPE then
    vim.cmd('botright split')
  end
  vim.api.nvim_win_set_buf(0, bufnr)
  return bufnr
end

--- Go to a window with a file, or to a new one.
local function go_to_file_window()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local bufnr = vim.api.nvim_win_get_buf(window)
    if vim.bo[bufnr].buftype == '' and vim.api.nvim_win_get_config(window).relative == '' then
      vim.api.nvim_set_current_win(window)
      return
    end
  end
  vim.cmd('aboveleft split')
end

--- Open a file beside the page, at a line if one is given.
function M.open_file(path, line)
  if not vim.uv.fs_stat(path) then
    messages.warn(path .. ' no longer exists')
    return
  end
  go_to_file_window()
  local bufnr = vim.fn.bufadd(path)
  vim.bo[bufnr].buflisted = true
  vim.api.nvim_win_set_buf(0, bufnr)
  if line then
    local last = vim.api.nvim_buf_line_count(bufnr)
    vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), 0 })
  end
end

return M
