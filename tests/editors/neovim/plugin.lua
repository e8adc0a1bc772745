-- The plug-in as a plug-in: nothing is loaded before it is wanted, buffers that were open before
-- are found, help and health say what there is.

local H = dofile(vim.env.SCRIPT_HARNESS)

local function loaded()
  local found = {}
  for name in pairs(package.loaded) do
    if vim.startswith(name, 'intent_lsp') then
      found[#found + 1] = name
    end
  end
  return found
end

local function health()
  vim.cmd('checkhealth intent_lsp')
  local lines = H.lines()
  vim.cmd('bwipeout!')
  return lines
end

local function commands()
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, 'Intent')
  end, vim.tbl_keys(vim.api.nvim_get_commands({})))
  table.sort(names)
  return names
end

local function help_on(topic)
  vim.cmd.help(topic)
  local line = vim.api.nvim_get_current_line()
  vim.cmd.helpclose()
  return line
end

H.run(function()
  local before = H.edit('src/auth/login.py')
  H.report('at start', { loaded = loaded(), commands = commands() })
  H.report('health before', health())

  require('intent_lsp').setup({ cmd = H.given.cmd })
  H.attached(before)
  H.status_shows('no intent')
  vim.api.nvim_set_current_buf(before)
  H.tiny_server(before)
  H.report('health', health())
  local blame_format = function(run)
    return run.intentId and 'for ' .. run.intentId or ''
  end
  require('intent_lsp').setup({ cmd = H.given.cmd, blame_format = blame_format })
  H.report('set up again', { clients = #H.clients(before) })

  -- An event of ours is there for anybody who wants to know.
  vim.cmd('IntentSelect INT-001')
  H.status_shows('INT-001')
  H.report('changed', H.events_of('IntentLspChanged')[#H.events_of('IntentLspChanged')].activeIntentId)
  H.type(0, 1, { 'line one' })
  H.write()
  H.traced(1)
  vim.cmd('%IntentBlame')
  local namespace = vim.api.nvim_create_namespace('intent_lsp_blame')
  local marks = H.wait('words of the person', function()
    local found = vim.api.nvim_buf_get_extmarks(before, namespace, 0, -1, { details = true })
    return #found > 0 and found
  end)
  H.report('own words', vim.tbl_map(function(mark)
    return vim.trim(mark[4].virt_text[1][1])
  end, marks))

  require('intent_lsp').setup({
    cmd = H.given.cmd,
    blame_format = function()
      error('not today')
    end,
  })
  vim.cmd('IntentBlame')
  vim.cmd('IntentBlame')
  H.report('no words', H.message('not today'))

  vim.opt.runtimepath:append(H.given.help)
  vim.cmd.helptags(H.given.help .. '/doc')
  local topics = { 'intent-lsp' }
  vim.list_extend(topics, vim.tbl_map(function(name)
    return ':' .. name
  end, commands()))
  for name in pairs(require('intent_lsp')) do
    topics[#topics + 1] = ('intent_lsp.%s()'):format(name)
  end
  for _, option in ipairs({ 'trace_limit', 'blame_format', 'cmd' }) do
    topics[#topics + 1] = 'intent-lsp-' .. option
  end
  vim.list_extend(topics, { 'IntentLspChanged', 'IntentLspDenied', 'IntentLspTraced' })
  for _, name in ipairs(vim.fn.getcompletion('IntentLsp', 'highlight')) do
    topics[#topics + 1] = 'hl-' .. name
  end
  local missing = {}
  for _, topic in ipairs(topics) do
    local found, line = pcall(help_on, topic)
    if not found or not line:find('*' .. topic .. '*', 1, true) then
      missing[#missing + 1] = topic
    end
  end
  H.report('help', { missing = missing, topics = #topics })
end)
