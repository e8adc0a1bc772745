-- Drafts: a save is refused, its text is kept, and comes back, whichever file is open.

local H = dofile(vim.env.STORY_HARNESS)
local INVOICE = 'src/billing/invoice.py'

H.run(function()
  H.edit(INVOICE)
  H.attached()
  vim.cmd('IntentSelect INT-001')
  H.stands('INT-001')
  H.told('INT-001')
  H.say('none', H.said_by('IntentDrafts'))
  H.type(2, 3, { 'line three' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.write()
  H.wait('asked', function()
    return #H.asked == 1
  end)
  H.say('refused', { disk = H.disk(INVOICE), lines = H.lines() })

  H.edit('README.md')
  H.attached()
  H.say('none here', H.said_by('IntentDrafts %'))
  vim.cmd.bwipeout(vim.fn.bufnr(H.path(INVOICE)))
  H.asked, H.answers = {}, { INVOICE }
  vim.cmd('IntentDrafts')
  H.say('restored', H.told('restored the draft'))
  H.say('offered', H.asked)
  H.wait('the file is shown', function()
    return vim.api.nvim_buf_get_name(0) == H.path(INVOICE)
  end)
  H.say('shown', { lines = H.lines(), modified = vim.bo.modified, disk = H.disk(INVOICE) })
  H.say('used up', H.said_by('IntentDrafts ' .. INVOICE))
end)
