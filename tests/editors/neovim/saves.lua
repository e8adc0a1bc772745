-- Twenty saves in a row: no message, no question, and no waiting.

local H = dofile(vim.env.SCRIPT_HARNESS)

H.run(function()
  H.edit('src/auth/login.py')
  H.attached()
  H.status_shows('no intent')
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.message('INT-001')
  vim.cmd.messages('clear')
  for round = 1, 20 do
    H.type(0, 1, { 'line one, ' .. round })
    H.write('silent write')
  end
  H.report('saved', H.traced(20))
  H.report('told', { messages = vim.trim(H.messages()), asked = #H.asked })
end)
