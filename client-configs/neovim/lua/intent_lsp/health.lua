-- `:checkhealth intent_lsp`: whether the server can be started, which files it governs, and which
-- servers run.

local attachment = require('intent_lsp.attachment')
local root_status = require('intent_lsp.root_status')
local roots = require('intent_lsp.roots')
local server_program = require('intent_lsp.server_program')

local M = {}

local PRODUCT = '(intent governance language server)'
-- Milliseconds for `--version`, which loads almost nothing.
local VERSION_TIMEOUT = 5000

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.error(('Neovim 0.11 or newer is needed, this is %s'):format(version))
    return false
  end
  vim.health.ok('Neovim ' .. version)
  if not vim.lsp.is_enabled(attachment.NAME) then
    vim.health.warn('the server is not enabled', "Call require('intent_lsp').setup()")
  end
  return true
end

local function version_of(config, command)
  vim.list_extend(command, { '--version' })
  local options = { text = true, cwd = config.cmd_cwd, env = config.cmd_env }
  local ok, running = pcall(vim.system, command, options)
  if not ok then
    return -1, running
  end
  local done = running:wait(VERSION_TIMEOUT)
  return done.code, vim.trim(done.stdout or '')
end

local function check_program(config)
  local command = server_program.command_prefix(config.cmd)
  if not command then
    vim.health.info('the server is started by your own function, given as cmd')
    return
  elseif vim.fn.executable(command[1]) == 0 then
    vim.health.error(('%s was not found or is not executable'):format(command[1]), {
      'Install it: pipx install intent-lsp',
      "Or name it: require('intent_lsp').setup({ cmd = { '/path/to/intent-lsp', 'serve' } })",
    })
    return
  end
  local code, text = version_of(config, command)
  if code == 0 and text:find(PRODUCT, 1, true) then
    vim.health.ok(text)
  else
    vim.health.error(
      ('%s --version did not answer as intent-lsp does; it printed %q'):format(command[1], text),
      'Name another program as cmd in setup(), or install this one again: pipx install intent-lsp'
    )
  end
end

--- Return the buffers of the files that windows show, without the health page itself.
local function visible_files()
  local found = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(window)
    if roots.file_of(bufnr) then
      found[bufnr] = true
    end
  end
  return vim.tbl_keys(found)
end

local function other_servers(bufnr)
  local others = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    if client.name ~= attachment.NAME then
      others[#others + 1] = ('%s (%s)'):format(client.name, client.offset_encoding)
    end
  end
  return #others == 0 and 'no other language server is attached'
    or 'beside ' .. table.concat(others, ', ')
end

local function check_file(bufnr)
  local path = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~')
  local root = roots.of_buffer(bufnr)
  if not root then
    vim.health.info(('%s: not governed'):format(path))
    return
  end
  local attached = vim.lsp.get_clients({ bufnr = bufnr, name = attachment.NAME })[1]
  local text = ('%s: governed by %s, %s'):format(path, root, other_servers(bufnr))
  if attached then
    vim.health.ok(text)
  else
    vim.health.warn(
      ('%s, but the server of intent-lsp is not attached; the lines above may say why'):format(text)
    )
  end
end

local function check_files()
  vim.health.start('intent-lsp: files and directories')
  for _, bufnr in ipairs(visible_files()) do
    check_file(bufnr)
  end
  local here = vim.fs.normalize(vim.fn.getcwd())
  local root = roots.of_directory(here)
  vim.health.info(
    ('working directory %s: %s'):format(
      here,
      root and 'governed by ' .. root or 'not governed; :IntentInit sets it up'
    )
  )
end

--- Return whether Neovim watches files for this client's server.
local function is_notified_of_changes(client)
  return vim.tbl_get(
    client.capabilities,
    'workspace',
    'didChangeWatchedFiles',
    'dynamicRegistration'
  ) == true
end

--- Return who watches for changes of files, by the setting `watch`.
local function watcher_text(client, watch)
  local by_neovim = is_notified_of_changes(client)
  if watch == 'off' or (watch == 'client' and not by_neovim) then
    return 'nobody'
  elseif watch == 'server' or not by_neovim then
    return 'the server'
  end
  return watch == 'client' and 'Neovim' or 'Neovim and the server'
end

local function check_client(client)
  vim.health.ok(
    ('%s: buffers attached: %d, position encoding %s'):format(
      client.root_dir,
      vim.tbl_count(client.attached_buffers),
      client.offset_encoding
    )
  )
  local watch = vim.tbl_get(client.settings or {}, 'intentLsp', 'watch')
    or vim.tbl_get(client.config.init_options or {}, 'watch')
    or 'auto'
  vim.health.info(
    ('changes of files are watched by %s (watch: %s)'):format(watcher_text(client, watch), watch)
  )
  local status = root_status.get(client.id)
  if status and not status.enabled then
    vim.health.error(('governance is off: %s'):format(status.reason or 'unknown'))
  elseif status then
    local active = status.activeIntentId or 'no intent'
    vim.health.info(('%s, saves: %s'):format(active, status.enforcement))
  end
end

local function check_clients()
  vim.health.start('intent-lsp: running servers')
  local clients = vim.lsp.get_clients({ name = attachment.NAME })
  if #clients == 0 then
    vim.health.info(
      ('no server is running; one starts for a file that has %s above it'):format(roots.INTENTS)
    )
  end
  for _, client in ipairs(clients) do
    check_client(client)
  end
end

function M.check()
  vim.health.start('intent-lsp')
  if not check_neovim() then
    return
  end
  check_program(vim.lsp.config[attachment.NAME])
  check_files()
  check_clients()
end

return M
