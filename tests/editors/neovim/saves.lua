-- Twenty saves in a row: nobody is told, asked or kept waiting.

local H = dofile(vim.env.STORY_HARNESS)

H.run(function()
  H.edit('src/auth/login.py')
  H.attached()
  H.stands('no intent')
  vim.cmd('IntentSelect INT-001')
  H.stands('INT-001')
  H.told('INT-001')
  vim.cmd.messages('clear')
  for round = 1, 20 do
    H.type(0, 1, { 'line one, ' .. round })
    H.write('silent write')
  end
  H.say('saved', H.traced(20))
  H.say('told', { messages = vim.trim(H.messages()), asked = #H.asked })
end)
