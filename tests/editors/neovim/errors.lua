-- What goes wrong is said in one line each, and nothing else.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'
local COMMANDS = {
  'IntentSelect',
  'IntentSelect INT-001',
  'IntentClear',
  'IntentStatus',
  'IntentTrace',
  'IntentVerify',
  'IntentDrafts',
}

local function each(commands)
  local said = {}
  for _, command in ipairs(commands) do
    said[command] = H.messages_of(command)
  end
  return said
end

local function said_by_setup(options)
  vim.cmd.messages('clear')
  require('intent_lsp').setup(options)
  local lines = vim.split(vim.trim(H.messages()), '\n')
  vim.cmd.messages('clear')
  return lines
end

H.run(function()
  H.edit('src/auth/login.py')
  H.report('before setup', each(COMMANDS))
  H.report('blame before setup', H.messages_of('IntentBlame'))

  H.report('no table', said_by_setup('intent-lsp'))
  H.report('options', said_by_setup({
    cmd = {},
    trace_limit = 0,
    on_attach = 'x',
    settings = {},
    filetypes = { 'python' },
    [1] = 'x',
  }))
  H.report('no program, once', said_by_setup({ cmd = { '/no/such/program' } }))
  H.report('no program', each(COMMANDS))
  H.report('no program to report', H.messages_of('IntentReport'))
  H.report('health', (function()
    vim.cmd('checkhealth intent_lsp')
    local lines = H.lines()
    vim.cmd('bwipeout!')
    return lines
  end)())

  H.edit('notes.txt', H.given.plain)
  vim.cmd.cd(H.given.plain)
  H.report('not governed', each(vim.list_extend({ 'IntentReport' }, COMMANDS)))
  vim.cmd.enew()
  H.report('no file', each({ 'IntentTrace %', 'IntentDrafts %' }))
  H.report('nothing completed', vim.fn.getcompletion('IntentSelect ', 'cmdline'))
  vim.cmd.cd(H.given.root)

  said_by_setup({ cmd = H.given.cmd })
  H.edit('src/auth/login.py')
  H.attached()
  H.status_shows('no intent')
  H.report('unknown', H.messages_of('IntentSelect NOPE'))

  -- Somebody changes the ledger: it says so, and where.
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.type(0, 1, { 'line one' })
  H.write()
  H.traced(1)
  local ledger = H.path('.orchestration/agent_trace.jsonl')
  local changed = vim.fn.readblob(ledger):gsub('INT%-001', 'INT-002')
  vim.fn.writefile(vim.split(changed, '\n'), ledger, 'b')
  H.report('tampered', H.messages_of('IntentVerify'))
  H.report('problems', vim.tbl_map(function(entry)
    return { vim.api.nvim_buf_get_name(entry.bufnr), entry.lnum, entry.type, entry.text }
  end, vim.fn.getqflist()))
  H.report('list is open', vim.bo.buftype)
  vim.cmd.cclose()

  vim.fn.writefile({ 'active_intents: [' }, H.path(INTENTS))
  H.status_shows('intents off')
  H.report('broken intents', each({ 'IntentStatus', 'IntentSelect INT-001' }))
end)
