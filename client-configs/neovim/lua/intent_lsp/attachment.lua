-- The attachment of buffers to servers, one server a governed root.
--
-- `vim.lsp.enable` waits for a file type, which many governed files never get, looks once, and
-- does not follow a buffer to a new name. This looks again whenever that may have changed.

local roots = require('intent_lsp.roots')
local standing = require('intent_lsp.standing')
local telling = require('intent_lsp.telling')

local M = {}

M.NAME = 'intent_lsp'

-- A server that ends this often within this many seconds is left alone.
local ENDS_AT_MOST, WITHIN = 3, 180
-- Milliseconds that Neovim itself waits for `willSaveWaitUntil`.
local SAVE_TIME = 1000

local ends = {} -- by root: when its server ended unasked
local resting = {} -- by root: its server was stopped, or ends again and again
local uri_at_attach = {} -- by buffer: the name for which Neovim asks before each save

--- Give the server's configuration, or nil and why it cannot be started.
local function configuration()
  if not vim.lsp.is_enabled(M.NAME) then
    return nil, "the server is not enabled; call require('intent_lsp').setup()"
  end
  local config = vim.lsp.config[M.NAME]
  if type(config.cmd) == 'table' and vim.fn.executable(config.cmd[1]) == 0 then
    return nil, config.cmd[1] .. ' is not executable; see :checkhealth intent_lsp'
  end
  return config
end

--- Start the server of a root, or find the one that runs; give the client, or nil and why there is
--- none. With `bufnr` the buffer is attached to it.
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

local function leave(bufnr, root)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME })) do
    if client.root_dir ~= root then
      vim.lsp.buf_detach_client(bufnr, client.id)
    end
  end
end

--- Attach a buffer to the server of the root that governs it, and to no other's.
function M.attach(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or not vim.lsp.is_enabled(M.NAME) then
    return
  end
  local find = vim.lsp.config[M.NAME].root_dir
  local function join(root)
    if not root or resting[root] then
      return
    end
    leave(bufnr, root)
    local client, reason = M.start(root, bufnr)
    if not client then
      telling.warn_once(reason)
    end
  end
  if type(find) == 'function' then
    find(bufnr, join)
  else
    -- A directory of the person's own choice.
    join(find)
  end
end

--- Look at every buffer again.
function M.attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

--- A server of this root runs: whoever started it wants it.
function M.on_init(client)
  resting[client.root_dir] = nil
end

local function ends_too_often(root)
  local now = vim.uv.hrtime() / 1e9
  ends[root] = vim.tbl_filter(function(moment)
    return now - moment < WITHIN
  end, ends[root] or {})
  table.insert(ends[root], now)
  return #ends[root] > ENDS_AT_MOST
end

--- A server has ended: one that nobody stopped is started again.
function M.on_exit(code, signal, client_id)
  local root = vim.lsp.get_client_by_id(client_id).root_dir
  vim.schedule(function()
    standing.forget(client_id)
    if (code == 0 and signal == 0) or signal == vim.uv.constants.SIGTERM then
      -- Where nobody governs yet there is nothing to rest from.
      resting[root] = roots.of_directory(root) ~= nil
    elseif ends_too_often(root) then
      resting[root] = true
      telling.warn_once(
        ('the server for %s keeps exiting; see :checkhealth intent_lsp'):format(root)
      )
    elseif vim.v.exiting == vim.NIL then
      M.attach_all()
    end
  end)
end

--- Ask before a save for which Neovim asks under the buffer's former name, or not at all.
local function ask_before_save(bufnr)
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
  local answer = client:request_sync('textDocument/willSaveWaitUntil', params, SAVE_TIME, bufnr)
  if answer and answer.result then
    vim.lsp.util.apply_text_edits(answer.result, bufnr, client.offset_encoding)
  end
end

local function on(events, callback, pattern)
  vim.api.nvim_create_autocmd(events, {
    group = M.NAME,
    pattern = pattern,
    callback = function(event)
      callback(event.buf)
    end,
  })
end

--- Look whenever a buffer gets a file, or a file may have got a governed root.
function M.watch()
  vim.api.nvim_create_augroup(M.NAME, {})
  on({ 'BufReadPost', 'BufNewFile', 'BufEnter' }, M.attach)
  on({ 'FocusGained', 'VimResume', 'ShellCmdPost', 'TermClose', 'TermLeave' }, M.attach_all)
  on('BufWritePost', M.attach_all, '*/.orchestration/active_intents.yaml')
  -- The server is told of the end under the former name.
  on('BufFilePre', leave)
  on('BufFilePost', M.attach)
  on('BufWritePre', ask_before_save)
  on('BufUnload', function(bufnr)
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
