-- The main job: open, see, choose, select, save, and what is shown of it.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INVOICE = 'src/billing/invoice.py'

H.run(function()
  H.edit(INVOICE)
  local client = H.attached()
  H.report('attached', {
    clients = #H.clients(),
    encoding = client.offset_encoding,
    filetype = vim.bo.filetype,
    root = client.root_dir,
  })
  H.status_shows('no intent')

  vim.cmd('IntentSelect INT-001')
  H.report('selected', H.message('intent-lsp: INT-001'))
  H.status_shows('INT-001')

  H.type(2, 3, { 'line three' })
  H.report('violation', H.shows({ 'SCOPE_VIOLATION' }))
  H.report('underline', H.underlined())
  H.report('actions', H.actions(2))
  H.run_action(2, 'Revert these lines')
  H.shows({})
  H.report('reverted', H.lines())

  H.type(2, 3, { 'line three' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.run_action(2, 'Show why')
  H.report('why', H.message('INT-001 owns:'))
  local cursor = H.wait('the intents file', function()
    local is_shown = vim.fn.expand('%:t') == 'active_intents.yaml'
    return is_shown and vim.api.nvim_win_get_cursor(0)
  end)
  H.report('where', cursor)
  H.edit(INVOICE)

  H.report('completion', vim.fn.getcompletion('IntentSelect int-', 'cmdline'))
  H.answers = { 'INT-002' }
  vim.cmd('IntentSelect')
  H.status_shows('INT-002')
  H.report('offered', H.asked)
  H.shows({})

  H.write()
  H.report('traced', H.traced(1))
  vim.cmd('IntentStatus')
  H.report('status', H.message('saves: warn'))

  -- Out of scope, saved all the same, and committed by somebody else: no keystroke clears it.
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.type(0, 1, { 'line one' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.write()
  H.traced(2)
  H.shows({ 'SCOPE_VIOLATION' })
  H.git('commit', '--quiet', '--all', '--message', 'from outside')
  H.shows({})
  H.report('committed', { line = H.lines()[1], modified = vim.bo.modified })

  vim.cmd('IntentClear')
  H.status_shows('no intent')
  H.type(4, 5, { 'line five' })
  H.report('no intent', H.shows({ 'NO_ACTIVE_INTENT' }))
  H.asked, H.answers = {}, { 'INT-002' }
  H.run_action(4, 'Select an intent')
  H.status_shows('INT-002')
  H.report('asked', H.asked)
  H.shows({})
end)
