-- A life: nobody governs, then somebody does; the server ends and comes again; it is not there.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

local function server_process()
  return vim.iter(vim.api.nvim_get_proc_children(vim.fn.getpid())):find(function(pid)
    return vim.api.nvim_get_proc(pid).name:find('python')
  end)
end

local function copy_intents(root)
  vim.fn.mkdir(root .. '/.orchestration', 'p')
  vim.fn.writefile(vim.split(H.given.intents, '\n'), root .. '/' .. INTENTS, 'b')
end

H.run(function()
  local source = H.edit('src/auth/login.py')
  vim.cmd('IntentStatus')
  H.report('dormant', { told = H.message('not governed'), clients = #vim.lsp.get_clients() })

  vim.cmd('IntentInit')
  H.report('created', H.message('set up; '))
  H.attached(source)
  H.status_shows('no intent')
  vim.cmd('IntentSelect')
  H.report('nothing to select', H.message('there is no open intent'))

  H.edit(INTENTS)
  H.attached()
  H.type(0, -1, vim.split(vim.trim(H.given.intents), '\n'))
  H.write()
  vim.cmd('IntentSelect INT-002')
  H.status_shows('INT-002')
  vim.cmd('IntentSelect NOPE')
  H.report('refused', H.message('NOPE'))

  -- The server is restarted as Neovim's manual says.
  local before = H.clients()[1].id
  vim.lsp.enable('intent_lsp', false)
  H.wait('ended', function()
    return #vim.lsp.get_clients({ name = 'intent_lsp' }) == 0
  end)
  H.report('disabled', H.statusline())
  vim.cmd.messages('clear')
  vim.lsp.enable('intent_lsp', true)
  H.status_shows('INT-002')
  H.report('restarted', { told = H.message('is still the selected intent'), again = H.clients()[1].id > before })

  -- The server is killed: it is started again unasked, and goes on.
  before = H.clients()[1].id
  vim.cmd.messages('clear')
  vim.uv.kill(server_process(), 'sigkill')
  H.wait('another server', function()
    return H.clients()[1] and H.clients()[1].id > before
  end)
  H.status_shows('INT-002')
  H.report('killed', { told = H.message('is still the selected intent'), source = #H.clients(source) })

  -- Intents that appear while a file is open: written here, and by somebody else.
  local here = H.edit('src/auth/login.py', H.given.second)
  H.report('not yet', #H.clients(here))
  H.edit(INTENTS, H.given.second)
  H.type(0, -1, vim.split(vim.trim(H.given.intents), '\n'))
  H.write('write ++p')
  H.attached(here)
  local there = H.edit('src/auth/login.py', H.given.third)
  H.report('nor there', #H.clients(there))
  copy_intents(H.given.third)
  vim.cmd.doautocmd('FocusGained')
  H.attached(there)

  vim.cmd('checkhealth intent_lsp')
  H.report('health', H.lines())

  -- A program that is not there is said once, and stops nobody's work.
  vim.lsp.config('intent_lsp', { cmd = { '/no/such/program' } })
  copy_intents(H.given.fourth)
  H.edit('src/auth/login.py', H.given.fourth)
  H.edit('README.md', H.given.fourth)
  local _, times = H.messages():gsub('not executable', '')
  H.report('no program', { times = times, clients = #H.clients() })
end)
