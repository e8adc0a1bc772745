-- The main job: open, see, choose, select, save, and what is shown of it.

local H = dofile(vim.env.STORY_HARNESS)
local INVOICE = 'src/billing/invoice.py'

H.run(function()
  H.edit(INVOICE)
  local client = H.attached()
  H.say('attached', {
    clients = #H.clients(),
    encoding = client.offset_encoding,
    filetype = vim.bo.filetype,
    root = client.root_dir,
  })
  H.stands('no intent')

  vim.cmd('IntentSelect INT-001')
  H.say('selected', H.told('intent-lsp: INT-001'))
  H.stands('INT-001')

  H.type(2, 3, { 'line three' })
  H.say('violation', H.shows({ 'SCOPE_VIOLATION' }))
  H.say('underline', H.underlined())
  H.say('actions', H.actions(2))
  H.act(2, 'Revert these lines')
  H.shows({})
  H.say('reverted', H.lines())

  H.type(2, 3, { 'line three' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.act(2, 'Show why')
  H.say('why', H.told('INT-001 owns:'))

  H.say('completion', vim.fn.getcompletion('IntentSelect int-', 'cmdline'))
  H.answers = { 'INT-002' }
  vim.cmd('IntentSelect')
  H.stands('INT-002')
  H.say('offered', H.asked)
  H.shows({})

  H.write()
  H.say('traced', H.traced(1))
  vim.cmd('IntentStatus')
  H.say('status', H.told('saves: warn'))

  -- Out of scope, saved all the same, and committed by somebody else: no keystroke clears it.
  vim.cmd('IntentSelect INT-001')
  H.stands('INT-001')
  H.type(0, 1, { 'line one' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.write()
  H.traced(2)
  H.shows({ 'SCOPE_VIOLATION' })
  H.git('commit', '--quiet', '--all', '--message', 'from outside')
  H.shows({})
  H.say('committed', { line = H.lines()[1], modified = vim.bo.modified })

  vim.cmd('IntentClear')
  H.stands('no intent')
  H.type(4, 5, { 'line five' })
  H.say('no intent', H.shows({ 'NO_ACTIVE_INTENT' }))
  H.asked, H.answers = {}, { 'INT-002' }
  H.act(4, 'Select an intent')
  H.stands('INT-002')
  H.say('asked', H.asked)
  H.shows({})
end)
