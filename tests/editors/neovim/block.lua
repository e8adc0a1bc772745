-- `enforcement: block`: what is refused does not reach the disk, and nothing typed is lost.

local H = dofile(vim.env.STORY_HARNESS)
local INVOICE = 'src/billing/invoice.py'

H.run(function()
  H.edit(INVOICE)
  local client = H.attached()
  vim.cmd('IntentSelect INT-001')
  H.stands('INT-001')

  -- The person turns the question away: the text stays a draft.
  H.type(2, 3, { 'line three' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.answers = { false }
  vim.cmd.write()
  H.say('written', { disk = H.disk(INVOICE), lines = H.lines(), modified = vim.bo.modified })
  H.wait('asked', function()
    return #H.asked == 1
  end)
  H.say('asked', H.asked)
  H.say('denied', H.happened('IntentDenied'))
  H.shows({})
  local drafts = client:request_sync('intent/drafts', { path = INVOICE }, 5000)
  H.say('drafts', drafts.result.drafts)
  H.act(2, 'Restore draft')
  H.wait('the text is back', function()
    return H.lines()[3] == 'line three'
  end)
  H.shows({ 'SCOPE_VIOLATION' })
  H.say('drafts after', client:request_sync('intent/drafts', { path = INVOICE }, 5000).result.drafts)

  -- The person takes the way out: the owner is selected, the text comes back, the save goes.
  H.asked, H.answers = {}, { 'Select INT-002' }
  vim.cmd.write()
  H.stands('INT-002')
  H.wait('the text comes back', function()
    return H.lines()[3] == 'line three'
  end)
  H.say('still', H.disk(INVOICE))
  vim.cmd.write()
  H.wait('a record', function()
    return #H.happened('IntentTraced') == 1
  end)
  H.say('saved', H.disk(INVOICE))
  H.say('traced', H.happened('IntentTraced'))
  H.say('drafts at the end', client:request_sync('intent/drafts', { path = INVOICE }, 5000).result.drafts)
end)
