-- What is shown when it is asked for: where lines come from, and the report.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INVOICE = 'src/billing/invoice.py'

local function blamed()
  local namespace = vim.api.nvim_create_namespace('intent_lsp_blame')
  return vim.tbl_map(function(mark)
    local words, highlight = unpack(mark[4].virt_text[1])
    return { mark[2], vim.trim(words), highlight }
  end, vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }))
end

local function blamed_now(count)
  return H.wait('blamed: ' .. count, function()
    local found = blamed()
    return #found == count and found
  end)
end

local function blame()
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.cmd('IntentBlame')
  H.report('blamed line', blamed_now(1))
  vim.cmd('IntentBlame')
  H.report('hidden', blamed())
  vim.cmd('%IntentBlame')
  H.report('blamed file', blamed_now(3))
  H.type(0, 1, { 'line one' })
  vim.cmd.doautocmd('TextChanged')
  H.report('changed', blamed())
  H.type(0, 1, { 'line 1' })
  vim.cmd('IntentBlame!')
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.cmd.doautocmd('CursorMoved')
  H.report('followed', blamed_now(1))
  -- A line that no record explains: the answer has come, and shows nothing.
  local answers = 0
  vim.api.nvim_create_autocmd('LspRequest', {
    callback = function(event)
      local asked = event.data.request
      answers = answers + (asked.method == 'intent/blame' and asked.type == 'complete' and 1 or 0)
    end,
  })
  vim.api.nvim_win_set_cursor(0, { 9, 0 })
  vim.cmd.doautocmd('CursorMoved')
  H.wait('an answer', function()
    return answers == 1
  end)
  local client = H.clients()[1]
  client:request_sync('intent/status', { workspaceUri = vim.uri_from_fname(H.given.root) }, 5000)
  H.report('unknown', blamed())
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.cmd.doautocmd('CursorMoved')
  H.report('followed on', blamed_now(1))
  vim.cmd('IntentBlame!')
  H.report('not followed', blamed())
end

local function report()
  local opened
  vim.ui.open = function(path)
    opened = path
  end
  H.report('report shown', H.messages_of('IntentReport'))
  H.report('opened', { path = opened, page = vim.fn.readblob(opened):sub(1, 15) })
  H.report('report written', H.messages_of('IntentReport report.html'))
  H.report('report refused', H.messages_of('IntentReport README.md'))
  H.report('readme', H.disk('README.md'))
  H.report('report forced', H.messages_of('IntentReport! README.md'))
  H.report('replaced', H.disk('README.md'):sub(1, 15))
end

H.run(function()
  H.edit(INVOICE)
  H.attached()
  vim.cmd('IntentSelect INT-002')
  H.status_shows('INT-002')
  H.type(4, 6, { 'line five', 'line six' })
  H.write()
  H.traced(1)
  blame()
  vim.cmd('silent write')
  report()
end)
