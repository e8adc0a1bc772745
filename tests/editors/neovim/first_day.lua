-- The first day: from a bare folder to a commit that leaves a clean tree; what is typed is counted.

local H = dofile(vim.env.SCRIPT_HARNESS)
local LOGIN, INVOICE = 'src/auth/login.py', 'src/billing/invoice.py'
local CREATE = 'Create an intent for this file and select it'
local acts = 0

--- Run a command, as a person does who types it.
local function command(words)
  acts = acts + 1
  vim.cmd(words)
end

--- Take a code action: one act to ask for them, one to choose.
local function act(line, title)
  acts = acts + 2
  H.run_action(line, title)
end

local function status()
  local command = { 'git', 'status', '--porcelain' }
  return vim.system(command, { cwd = H.given.root, text = true }):wait().stdout
end

local function set_up()
  local buffer = H.edit(LOGIN)
  H.report('bare folder', { clients = #vim.lsp.get_clients(), statusline = H.statusline() })
  command('IntentInit')
  H.report('set up', H.message('set up; '))
  H.attached(buffer)
  H.status_shows('no intent')
end

local function first_intent()
  H.type(2, 3, { 'line three' })
  H.shows({ 'NO_ACTIVE_INTENT' })
  local titles = H.actions(2)
  act(2, CREATE)
  H.status_shows('INT-001')
  H.shows({})
  H.report('first intent', { titles = titles, buffer = vim.api.nvim_buf_get_name(0) })
  acts = acts + 1
  H.write()
  H.traced(1)
  H.report('first save', { acts = acts, problems = H.problems(), messages = H.messages() })
end

local function out_of_scope()
  H.edit(INVOICE)
  H.attached()
  H.type(2, 3, { 'line three' })
  local problems = H.shows({ 'SCOPE_VIOLATION' })
  -- For good comes first, for an hour second.
  H.answers = { 'Expand the scope of INT-001 with ' .. INVOICE }
  H.run_action(2, 'Expand the scope of INT-001 with ' .. INVOICE)
  H.shows({})
  H.write()
  H.traced(2)
  H.report('out of scope', problems)
end

local function save_again_and_again()
  H.edit(LOGIN)
  for save = 1, H.given.saves do
    H.type(4, 5, { ('save %d'):format(save) })
    H.write()
  end
  H.traced(2 + H.given.saves)
  H.report('saves', #H.events_of('IntentLspTraced'))
end

local function record_and_blame()
  vim.cmd('IntentTrace')
  H.report('records', H.page('records'))
  H.press('q')
  H.edit(LOGIN)
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.cmd('IntentBlame')
  local namespace = vim.api.nvim_create_namespace('intent_lsp_blame')
  H.report(
    'blame',
    H.wait('blamed', function()
      local found = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
      return found[1] and found[1][4].virt_text[1][1]
    end)
  )
end

local function commit()
  local map = '.orchestration/intent_map.md'
  H.wait('the intent map', function()
    return vim.uv.fs_stat(H.path(map)) and H.disk(map):find('invoice.py', 1, true)
  end)
  H.git('add', '--all')
  H.git('commit', '-qm', 'The first day')
  H.report('clean', status())
end

H.run(function()
  set_up()
  first_intent()
  out_of_scope()
  save_again_and_again()
  record_and_blame()
  commit()
end)
