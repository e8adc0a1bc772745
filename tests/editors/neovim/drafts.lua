-- Drafts: a save is refused, its text is kept, and comes back, whichever file is open.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INVOICE = 'src/billing/invoice.py'

H.run(function()
  H.edit(INVOICE)
  H.attached()
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.message('INT-001')
  H.report('none', H.messages_of('IntentDrafts'))
  H.type(2, 3, { 'line three' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.write()
  H.wait('asked', function()
    return #H.asked == 1
  end)
  H.report('refused', { disk = H.disk(INVOICE), lines = H.lines() })

  H.edit('README.md')
  H.attached()
  H.report('none here', H.messages_of('IntentDrafts %'))
  vim.cmd.bwipeout(vim.fn.bufnr(H.path(INVOICE)))
  H.asked, H.answers = {}, { INVOICE }
  vim.cmd('IntentDrafts')
  H.report('restored', H.message('restored the draft'))
  H.report('offered', H.asked)
  H.wait('the file is shown', function()
    return vim.api.nvim_buf_get_name(0) == H.path(INVOICE)
  end)
  H.report('shown', { lines = H.lines(), modified = vim.bo.modified, disk = H.disk(INVOICE) })
  H.report('used up', H.messages_of('IntentDrafts ' .. INVOICE))
end)
