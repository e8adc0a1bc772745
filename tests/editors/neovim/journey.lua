-- The whole way: choose, edit inside and outside, take the way out, save, read the ledger.

local H = dofile(vim.env.SCRIPT_HARNESS)
local LOGIN, INVOICE = 'src/auth/login.py', 'src/billing/invoice.py'

local function related()
  local shown = vim.diagnostic.get(0)[1]
  local place = shown.user_data.lsp.relatedInformation[1]
  return { uri = place.location.uri, message = place.message }
end

local function line_with(words)
  for number, line in ipairs(H.lines()) do
    if line:find(words, 1, true) then
      vim.api.nvim_win_set_cursor(0, { number, 0 })
      return line
    end
  end
  error('no line has ' .. words)
end

local function place()
  return { vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(0)[1] }
end

local function edit_and_save()
  H.edit(LOGIN)
  H.attached()
  H.status_shows('no intent')
  H.answers = { 'INT-001' }
  vim.cmd('IntentSelect')
  H.status_shows('INT-001')
  H.report('offered', H.asked)

  H.type(2, 3, { 'line three' })
  H.write()
  H.traced(1)
  H.report('in scope', H.problems())

  H.edit(INVOICE)
  H.attached()
  H.type(4, 6, { 'line five', 'line six' })
  H.report('out of scope', H.shows({ 'SCOPE_VIOLATION' }))
  H.report('related', related())
  H.run_action(4, 'Select intent INT-002')
  H.status_shows('INT-002')
  H.shows({})
  H.write()
  H.report('saved', H.traced(2))
end

local function read_the_ledger()
  vim.cmd('IntentTrace')
  H.report('trace', H.page('records'))
  line_with(INVOICE)
  H.press('<CR>')
  local short = H.events_of('IntentLspTraced')[2].recordId:sub(1, 8)
  H.report('record', H.page('record/' .. short))
  line_with('lines 5-6')
  H.press('<CR>')
  H.report('visited', place())
  vim.cmd('IntentTrace %')
  H.report('of this file', H.page('records of invoice.py'))
  H.press('q')
  vim.cmd('IntentTrace INT-001')
  H.report('of an intent', H.page('records of INT-001'))
  -- In a page, a command means the page's root, whatever the working directory is.
  vim.cmd.lcd('/')
  H.report('from a page', H.messages_of('IntentVerify'))
  vim.cmd.lcd(H.given.root)
  H.press('q')
  vim.cmd('IntentTrace!')
  H.wait('a quickfix list', function()
    return vim.bo.buftype == 'quickfix'
  end)
  H.report('quickfix', vim.tbl_map(function(entry)
    return { vim.api.nvim_buf_get_name(entry.bufnr), entry.lnum, entry.end_lnum }
  end, vim.fn.getqflist()))
  vim.cmd('cclose')
  H.report('nothing', H.messages_of('IntentTrace NOPE'))
end

local function older_records()
  require('intent_lsp').setup({ cmd = H.given.cmd, trace_limit = 1 })
  vim.cmd('IntentTrace')
  H.report('first page', H.page('records'))
  line_with('older records')
  H.press('<CR>')
  H.wait('the older record', function()
    return H.lines()[2]:find(LOGIN, 1, true)
  end)
  H.report('both pages', H.lines())
  H.press('q')
end

H.run(function()
  edit_and_save()
  read_the_ledger()
  older_records()
end)
