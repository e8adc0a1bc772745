-- What every script needs: actions, readings, waiting for events, and the report as JSON lines.

local H = {}

H.given = vim.json.decode(vim.env.SCRIPT_GIVEN)

-- Milliseconds after which waiting fails.
local PATIENCE = 20000

local step = 'begin'

local function emit(line)
  io.stdout:write(vim.json.encode(line) .. '\n')
  io.stdout:flush()
end

--- Report what is seen at a step.
function H.report(name, saw)
  step = name
  emit({ step = name, saw = saw == nil and vim.NIL or saw })
end

--- Wait until `look` returns something true, and return it.
function H.wait(name, look)
  step = name
  local seen
  if not vim.wait(PATIENCE, function()
    seen = look()
    return seen
  end, 10) then
    local problems = vim.inspect(H.problems())
    error(('waited in vain\nmessages: %s\nproblems: %s'):format(H.messages(), problems))
  end
  return seen
end

--- Run a script once Neovim has started, and end Neovim after it.
function H.run(script)
  vim.schedule(function()
    local fine, wrong = xpcall(script, debug.traceback)
    if not fine then
      emit({ step = step, wrong = wrong })
    end
    vim.cmd('qall!')
  end)
end

-- What happened ---------------------------------------------------------------------------------

H.events = {}
vim.api.nvim_create_autocmd('User', {
  pattern = { 'IntentLspChanged', 'IntentLspDenied', 'IntentLspTraced' },
  callback = function(event)
    table.insert(H.events, { event.match, event.data })
  end,
})

--- Return the data of the events of one kind so far.
function H.events_of(kind)
  return vim.iter(H.events)
    :filter(function(event)
      return event[1] == kind
    end)
    :map(function(event)
      return event[2]
    end)
    :totable()
end

-- Questions to the person: each answer is a pattern of the title to choose, false to turn away.
H.asked, H.answers, H.writing = {}, {}, false
vim.ui.select = function(items, options, on_choice)
  local titles = vim.tbl_map(options.format_item or tostring, items)
  table.insert(H.asked, { prompt = options.prompt, titles = titles, while_writing = H.writing })
  local answer = table.remove(H.answers, 1)
  for index, title in ipairs(titles) do
    if answer and title:find(answer, 1, true) then
      return on_choice(items[index], index)
    end
  end
  on_choice(nil, nil)
end

--- Write the buffer, under another name if one is given.
function H.write(command)
  H.writing = true
  vim.cmd(command or 'write')
  H.writing = false
end

--- Wait until the server has announced this many records, and return the last.
function H.traced(count)
  H.wait(('records: %d'):format(count), function()
    return #H.events_of('IntentLspTraced') == count
  end)
  return H.events_of('IntentLspTraced')[count]
end

function H.messages()
  return vim.fn.execute('messages')
end

--- Wait for a message with these words, and return its line.
function H.message(words)
  return H.wait('message: ' .. words, function()
    for _, line in ipairs(vim.split(H.messages(), '\n')) do
      if line:find(words, 1, true) then
        return line
      end
    end
  end)
end

--- Start another server on a buffer, and return a function that reads the text as it has it.
function H.tiny_server(bufnr)
  local id = vim.lsp.start({
    name = 'tiny',
    cmd = H.given.tiny,
    cmd_cwd = H.given.tiny_home,
    root_dir = H.given.root,
  }, { bufnr = bufnr })
  local client = vim.lsp.get_client_by_id(id)
  H.wait('the other server', function()
    return client.initialized
  end)
  return function()
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    local answer = client:request_sync('textDocument/hover', params, PATIENCE, bufnr)
    return answer and answer.result and answer.result.contents
  end
end

--- Return the messages of a command, once there are any, and forget them.
function H.messages_of(command)
  vim.cmd.messages('clear')
  vim.cmd(command)
  H.wait('said by ' .. command, function()
    return H.messages() ~= ''
  end)
  local lines = vim.split(vim.trim(H.messages()), '\n')
  vim.cmd.messages('clear')
  return lines
end

--- Wait until the current buffer is a page of ours with this name, and return its lines.
function H.page(name)
  H.wait('the page ' .. name, function()
    return vim.api.nvim_buf_get_name(0) == 'intent-lsp://' .. name and H.lines()[1] ~= ''
  end)
  return H.lines()
end

--- Press keys, as a person does.
function H.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

--- Put the cursor on the first place of a text in the buffer.
function H.go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search('\\V' .. text, 'c') > 0, text)
end

--- Ask what is known of the place of the cursor, and return the lines that are shown.
function H.hover()
  vim.lsp.buf.hover()
  local window = H.wait('a hover', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(each)
      return vim.api.nvim_win_get_config(each).relative ~= ''
    end)
  end)
  local lines = H.lines(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_close(window, true)
  return lines
end

-- Readings --------------------------------------------------------------------------------------

function H.path(name)
  return H.given.root .. '/' .. name
end

--- Open a file of the root, or of another directory.
function H.edit(name, root)
  vim.cmd.edit(vim.fn.fnameescape((root or H.given.root) .. '/' .. name))
  return vim.api.nvim_get_current_buf()
end

function H.clients(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr or 0, name = 'intent_lsp' })
end

--- Wait until the server has the buffer, and return the client.
function H.attached(bufnr)
  return H.wait('attached', function()
    return H.clients(bufnr)[1]
  end)
end

function H.lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr or 0, 0, -1, false)
end

function H.type(first, last, lines)
  vim.api.nvim_buf_set_lines(0, first, last, true, lines)
end

--- The diagnostics of our server on a buffer, as Neovim has them.
function H.problems(bufnr)
  local ours = vim.tbl_filter(function(shown)
    return shown.source == 'intent-lsp'
  end, vim.diagnostic.get(bufnr or 0))
  return vim.tbl_map(function(shown)
    return {
      code = shown.code,
      message = shown.message,
      severity = vim.diagnostic.severity[shown.severity],
      span = { shown.lnum, shown.col, shown.end_lnum, shown.end_col },
    }
  end, ours)
end

--- Wait until exactly these codes are shown, in order of lines, and return the diagnostics.
function H.shows(codes, bufnr)
  return H.wait('shows: ' .. table.concat(codes, ' '), function()
    local problems = H.problems(bufnr)
    local seen = vim.tbl_map(function(problem)
      return problem.code
    end, problems)
    return vim.deep_equal(seen, codes) and problems
  end)
end

--- What is underlined as a diagnostic: line, from, to (in bytes), highlight.
function H.underlined(bufnr)
  local found = {}
  for _, namespace in pairs(vim.api.nvim_get_namespaces()) do
    local all = { details = true }
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr or 0, namespace, 0, -1, all)) do
      if tostring(mark[4].hl_group):find('DiagnosticUnderline', 1, true) then
        table.insert(found, { mark[2], mark[3], mark[4].end_col, mark[4].hl_group })
      end
    end
  end
  return found
end

--- The titles of the code actions on a line.
function H.actions(line)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  local client = H.clients()[1]
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {} }
  local answer = client:request_sync('textDocument/codeAction', params, PATIENCE, 0)
  return vim.tbl_map(function(action)
    return action.title
  end, answer.result)
end

--- Take the code action whose title begins so, as a person does.
function H.run_action(line, title)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return vim.startswith(action.title, title)
    end,
  })
end

function H.statusline()
  return vim.api.nvim_eval_statusline("%{v:lua.require'intent_lsp'.statusline()}", {}).str
end

--- Wait until the statusline says this.
function H.status_shows(words)
  return H.wait('the statusline says ' .. words, function()
    return H.statusline() == words
  end)
end

function H.git(...)
  local done = vim.system({ 'git', ... }, { cwd = H.given.root, text = true }):wait()
  assert(done.code == 0, done.stderr)
end

function H.disk(name)
  return vim.fn.readblob(H.path(name))
end

return H
