-- The whole way: choose, edit inside and outside, take the way out, save, read the ledger.

local H = dofile(vim.env.STORY_HARNESS)
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
  H.stands('no intent')
  H.answers = { 'INT-001' }
  vim.cmd('IntentSelect')
  H.stands('INT-001')
  H.say('offered', H.asked)

  H.type(2, 3, { 'line three' })
  H.write()
  H.traced(1)
  H.say('in scope', H.problems())

  H.edit(INVOICE)
  H.attached()
  H.type(4, 6, { 'line five', 'line six' })
  H.say('out of scope', H.shows({ 'SCOPE_VIOLATION' }))
  H.say('related', related())
  H.act(4, 'Select intent INT-002')
  H.stands('INT-002')
  H.shows({})
  H.write()
  H.say('saved', H.traced(2))
end

local function read_the_ledger()
  vim.cmd('IntentTrace')
  H.say('trace', H.page('records'))
  line_with(INVOICE)
  H.press('<CR>')
  local short = H.happened('IntentLspTraced')[2].recordId:sub(1, 8)
  H.say('record', H.page('record/' .. short))
  line_with('lines 5-6')
  H.press('<CR>')
  H.say('visited', place())
  vim.cmd('IntentTrace %')
  H.say('of this file', H.page('records of invoice.py'))
  H.press('q')
  vim.cmd('IntentTrace INT-001')
  H.say('of an intent', H.page('records of INT-001'))
  -- In a page, a command means the page's root, whatever the working directory is.
  vim.cmd.lcd('/')
  H.say('from a page', H.said_by('IntentVerify'))
  vim.cmd.lcd(H.given.root)
  H.press('q')
  vim.cmd('IntentTrace!')
  H.wait('a quickfix list', function()
    return vim.bo.buftype == 'quickfix'
  end)
  H.say('quickfix', vim.tbl_map(function(entry)
    return { vim.api.nvim_buf_get_name(entry.bufnr), entry.lnum, entry.end_lnum }
  end, vim.fn.getqflist()))
  vim.cmd('cclose')
  H.say('nothing', H.said_by('IntentTrace NOPE'))
end

local function older_records()
  require('intent_lsp').setup({ cmd = H.given.cmd, trace_limit = 1 })
  vim.cmd('IntentTrace')
  H.say('first page', H.page('records'))
  line_with('older records')
  H.press('<CR>')
  H.wait('the older record', function()
    return H.lines()[2]:find(LOGIN, 1, true)
  end)
  H.say('both pages', H.lines())
  H.press('q')
end

H.run(function()
  edit_and_save()
  read_the_ledger()
  older_records()
end)
