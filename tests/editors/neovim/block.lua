-- `enforcement: block`: what is refused does not reach the disk, and nothing typed is lost.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INVOICE = 'src/billing/invoice.py'

H.run(function()
  H.edit(INVOICE)
  local client = H.attached()
  local function drafts()
    return client:request_sync('intent/drafts', vim.empty_dict(), 5000).result.drafts
  end
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')

  -- The person turns the question away: the text stays a draft.
  H.type(2, 3, { 'line three' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.write()
  H.report('written', { disk = H.disk(INVOICE), lines = H.lines(), modified = vim.bo.modified })
  H.wait('asked', function()
    return #H.asked == 1
  end)
  H.report('asked', H.asked[1])
  H.report('denied', H.events_of('IntentLspDenied')[1].error.code)
  H.shows({})
  H.report('drafts', drafts())
  H.run_action(2, 'Restore draft')
  H.wait('the text is back', function()
    return H.lines()[3] == 'line three'
  end)
  H.shows({ 'SCOPE_VIOLATION' })
  H.report('restored', { disk = H.disk(INVOICE), drafts = #drafts() })

  -- The person takes the way out: the owner is selected, the text comes back, the save goes.
  H.answers = { 'Select INT-002' }
  H.write()
  H.status_shows('INT-002')
  H.wait('the text comes back', function()
    return H.lines()[3] == 'line three'
  end)
  H.report('way out', { disk = H.disk(INVOICE), asked = H.asked[2] })
  H.write()
  H.report('saved', { record = H.traced(1), disk = H.disk(INVOICE), drafts = #drafts() })

  -- A new name is another file: Neovim itself would ask for the old one.
  H.edit('src/billing/other.py')
  H.attached()
  H.type(0, -1, { 'copied' })
  H.write('saveas src/auth/copy.py')
  H.wait('asked again', function()
    return #H.asked == 3
  end)
  H.report('saved as', { disk = H.disk('src/auth/copy.py'), asked = H.asked[3], drafts = drafts() })
end)
