-- Files of every kind: what is nobody's business, what has no file type, other letters, other
-- servers, other names, other roots.

local H = dofile(vim.env.SCRIPT_HARNESS)
local OTHER, PLAIN = H.given.other, H.given.plain

H.run(function()
  -- Nobody's business: no server is ever started for these.
  vim.cmd.enew()
  H.type(0, -1, { 'a buffer without a name' })
  vim.bo.modified = false
  H.edit('notes.txt', PLAIN)
  H.edit('.git/COMMIT_EDITMSG')
  vim.cmd.edit('fugitive:///a/page/of/a/plugin')
  vim.cmd.help()
  vim.cmd.helpclose()
  H.edit('src')
  H.report('dormant', { clients = #vim.lsp.get_clients(), statusline = H.statusline() })

  -- A file without a file type.
  H.edit('QUEUE')
  local first = H.attached()
  H.report('without a file type', { filetype = vim.bo.filetype, first_client = first.id == 1 })
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.type(0, 1, { 'mine' })
  H.report('queue', H.shows({ 'SCOPE_VIOLATION' }))
  vim.cmd('edit!')
  H.shows({})

  -- Letters of more than one byte, in the text and in the name.
  H.edit('src/billing/preis.txt')
  H.attached()
  H.type(1, 2, { 'für 🙂 viele' })
  H.report('letters', { problems = H.shows({ 'SCOPE_VIOLATION' }), underlined = H.underlined() })
  H.run_action(1, 'Revert these lines')
  H.shows({})
  H.report('letters reverted', H.lines())
  H.edit('app/[slug]/página nueva.tsx')
  H.attached()
  H.type(0, -1, { 'export {}' })
  H.shows({ 'SCOPE_VIOLATION' })
  H.write('write ++p')
  H.report('new file', H.traced(1))

  -- Another server on the same buffer, with positions of its own.
  local buffer = H.edit('src/auth/login.py')
  H.attached()
  local sees = H.tiny_server(buffer)
  H.type(0, 1, { 'line 🙂' })
  H.type(1, 2, { 'line ü', 'line more' })
  local all = vim.lsp.get_clients({ bufnr = buffer })
  H.report('beside', { servers = #all, ours = #H.clients(), sees = sees() })
  H.write()
  H.report('beside, saved', { record = H.traced(2), disk = H.disk('src/auth/login.py') })

  -- A new name: for a file that had one, and for a buffer that had none.
  H.write('saveas src/auth/second.py')
  H.report('saved as', H.traced(3))
  vim.cmd.enew()
  H.type(0, -1, { 'fresh' })
  H.write('write src/auth/fresh.py')
  H.attached()
  H.type(0, -1, { 'fresh', 'and more' })
  H.write()
  local named = H.wait('its record', function()
    return vim.iter(H.events_of('IntentLspTraced')):find(function(traced)
      return traced.paths[1] == 'src/auth/fresh.py'
    end)
  end)
  H.report('named', named)
  H.write('saveas! ' .. PLAIN .. '/gone.txt')
  H.report('gone', #H.clients())

  -- Another root has a server of its own, one for all of its files.
  H.edit('src/billing/invoice.py', OTHER)
  local second = H.attached()
  H.status_shows('no intent')
  vim.cmd('IntentSelect INT-002')
  H.status_shows('INT-002')
  H.edit('README.md', OTHER)
  local third = H.attached()
  H.edit('README.md')
  H.attached()
  H.status_shows('INT-001')
  H.report('roots', {
    first = first.root_dir,
    second = second.root_dir,
    reused = second.id == third.id,
  })

  -- In a page that is not a file, the working directory is what a command means.
  vim.cmd.enew()
  vim.cmd('IntentSelect INT-002')
  H.edit('README.md')
  H.status_shows('INT-002')
  H.report('selected from nowhere')
end)
