-- The attachment of buffers to servers: one server for each governed root.
--
-- `vim.lsp.enable` attaches a buffer once, when it gets a file type. Many governed files never get
-- one, a directory may become governed later, and a buffer may get a new name. So this module
-- checks the buffers again whenever one of these may have happened.

local messages = require('intent_lsp.messages')
local root_status = require('intent_lsp.root_status')
local roots = require('intent_lsp.roots')

local M = {}

M.NAME = 'intent_lsp'

-- A server that exits more often than this within so many seconds is not started again.
local MAX_EXITS, EXIT_WINDOW = 3, 180
-- Milliseconds that Neovim itself waits for `willSaveWaitUntil`.
local SAVE_TIMEOUT = 1000

local exits = {} -- by root: the times at which its server exited without being stopped
local stopped = {} -- by root: true if its server was stopped, or keeps exiting
local uri_at_attach = {} -- by buffer: the URI that Neovim sends in `willSaveWaitUntil`

--- Return the server's configuration, or nil and why the server cannot be started.
local function configuration()
  if not vim.lsp.is_enabled(M.NAME) then
    return nil, "the server is not enabled; call require('intent_lsp').setup()"
  end
  local config = vim.lsp.config[M.NAME]
  if type(config.cmd) == 'table' and vim.fn.executable(config.cmd[1]) == 0 then
    return nil, config.cmd[1] .. ' was not found or is not executable; see :checkhealth intent_lsp'
  end
  return config
end

--- Start the server of a root, or find the one that runs. Attach the buffer `bufnr`, if given.
--- Return the client, or nil and why there is none.
function M.start(root, bufnr)
  local config, reason = configuration()
  if not config then
    return nil, reason
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME })) do
    if client.root_dir == root and not client:is_stopped() then
      if bufnr then
        vim.lsp.buf_attach_client(bufnr, client.id)
      end
      return client
    end
  end
  config = vim.deepcopy(config)
  config.root_dir = root
  local id = vim.lsp.start(config, {
    bufnr = bufnr,
    attach = bufnr ~= nil,
    reuse_client = config.reuse_client,
  })
  if id then
    return vim.lsp.get_client_by_id(id)
  end
  return nil, ('the server for %s did not start; see :checkhealth intent_lsp'):format(root)
end

--- Detach a buffer from the servers of all other roots; of all roots if `root` is nil.
local function detach_from_others(bufnr, root)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME })) do
    if client.root_dir ~= root then
      vim.lsp.buf_detach_client(bufnr, client.id)
    end
  end
end

--- Attach a buffer to the server of the root that governs it, and detach it from all others.
function M.attach(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or not vim.lsp.is_enabled(M.NAME) then
    return
  end
  local find = vim.lsp.config[M.NAME].root_dir
  local function attach_to(root)
    if not root or stopped[root] then
      return
    end
    detach_from_others(bufnr, root)
    local client, reason = M.start(root, bufnr)
    if not client then
      messages.warn_once(reason)
    end
  end
  if type(find) == 'function' then
    find(bufnr, attach_to)
  else
    -- The user has set a directory as the root of everything.
    attach_to(find)
  end
end

--- Attach every buffer that is governed and not attached yet.
function M.attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

--- Attach buffers to this root again: someone has started its server.
function M.on_init(client)
  stopped[client.root_dir] = nil
end

local function exits_too_often(root)
  local now = vim.uv.hrtime() / 1e9
  exits[root] = vim.tbl_filter(function(moment)
    return now - moment < EXIT_WINDOW
  end, exits[root] or {})
  table.insert(exits[root], now)
  return #exits[root] > MAX_EXITS
end

--- Start a server again that has ended without being stopped.
function M.on_exit(code, signal, client_id)
  local root = vim.lsp.get_client_by_id(client_id).root_dir
  vim.schedule(function()
    root_status.forget(client_id)
    if (code == 0 and signal == 0) or signal == vim.uv.constants.SIGTERM then
      -- Without a root nothing was attached; if one is made later, the server may start.
      stopped[root] = roots.of_directory(root) ~= nil
    elseif exits_too_often(root) then
      stopped[root] = true
      messages.warn_once(
        ('the server for %s keeps exiting; see :checkhealth intent_lsp'):format(root)
      )
    elseif vim.v.exiting == vim.NIL then
      M.attach_all()
    end
  end)
end

--- Send `willSaveWaitUntil` for a buffer that was renamed or has just become governed. For such a
--- save Neovim itself sends the former name, or nothing.
local function request_before_save(bufnr)
  local uri = vim.uri_from_bufnr(bufnr)
  if uri_at_attach[bufnr] == uri then
    return
  end
  M.attach(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME })[1]
  if not client or not client:supports_method('textDocument/willSaveWaitUntil') then
    return
  end
  local params = {
    textDocument = { uri = uri },
    reason = vim.lsp.protocol.TextDocumentSaveReason.Manual,
  }
  local answer = client:request_sync('textDocument/willSaveWaitUntil', params, SAVE_TIMEOUT, bufnr)
  if answer and answer.result then
    vim.lsp.util.apply_text_edits(answer.result, bufnr, client.offset_encoding)
  end
end

--- Call `callback` with the buffer of each of these events.
local function on_buffer_event(events, callback, pattern)
  vim.api.nvim_create_autocmd(events, {
    group = M.NAME,
    pattern = pattern,
    callback = function(event)
      callback(event.buf)
    end,
  })
end

--- Check buffers whenever one gets a file or a name, or a root may have been set up.
function M.watch()
  vim.api.nvim_create_augroup(M.NAME, {})
  on_buffer_event({ 'BufReadPost', 'BufNewFile', 'BufEnter' }, M.attach)
  local away = { 'FocusGained', 'VimResume', 'ShellCmdPost', 'TermClose', 'TermLeave' }
  on_buffer_event(away, M.attach_all)
  on_buffer_event('BufWritePost', M.attach_all, '*/.orchestration/active_intents.yaml')
  -- Detached before the rename, so that `didClose` has the former name.
  on_buffer_event('BufFilePre', detach_from_others)
  on_buffer_event('BufFilePost', M.attach)
  on_buffer_event('BufWritePre', request_before_save)
  on_buffer_event('BufUnload', function(bufnr)
    uri_at_attach[bufnr] = nil
  end)
  vim.api.nvim_create_autocmd('LspAttach', {
    group = M.NAME,
    callback = function(event)
      uri_at_attach[event.buf] = uri_at_attach[event.buf] or vim.uri_from_bufnr(event.buf)
    end,
  })
  M.attach_all()
end

return M
