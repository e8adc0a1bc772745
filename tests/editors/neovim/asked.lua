-- What is shown when it is asked for: where lines come from, and the report.

local H = dofile(vim.env.STORY_HARNESS)
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
  H.say('blamed line', blamed_now(1))
  vim.cmd('IntentBlame')
  H.say('hidden', blamed())
  vim.cmd('%IntentBlame')
  H.say('blamed file', blamed_now(3))
  H.type(0, 1, { 'line one' })
  vim.cmd.doautocmd('TextChanged')
  H.say('changed', blamed())
  H.type(0, 1, { 'line 1' })
  vim.cmd('IntentBlame!')
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.cmd.doautocmd('CursorMoved')
  H.say('followed', blamed_now(1))
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
  H.say('unknown', blamed())
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.cmd.doautocmd('CursorMoved')
  H.say('followed on', blamed_now(1))
  vim.cmd('IntentBlame!')
  H.say('not followed', blamed())
end

local function report()
  local opened
  vim.ui.open = function(path)
    opened = path
  end
  H.say('report shown', H.said_by('IntentReport'))
  H.say('opened', { path = opened, page = vim.fn.readblob(opened):sub(1, 15) })
  H.say('report written', H.said_by('IntentReport report.html'))
  H.say('report refused', H.said_by('IntentReport README.md'))
  H.say('readme', H.disk('README.md'))
  H.say('report forced', H.said_by('IntentReport! README.md'))
  H.say('replaced', H.disk('README.md'):sub(1, 15))
end

H.run(function()
  H.edit(INVOICE)
  H.attached()
  vim.cmd('IntentSelect INT-002')
  H.stands('INT-002')
  H.type(4, 6, { 'line five', 'line six' })
  H.write()
  H.traced(1)
  blame()
  vim.cmd('silent write')
  report()
end)
