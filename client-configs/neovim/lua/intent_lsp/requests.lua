-- Requests to the server of a root. Whatever prevents an answer is shown in one line.

local attachment = require('intent_lsp.attachment')
local messages = require('intent_lsp.messages')
local roots = require('intent_lsp.roots')

local M = {}

-- Milliseconds: how long a server may take to start, and how often it is checked meanwhile.
local START_TIMEOUT, POLL_INTERVAL = 5000, 10

local function working_directory()
  return vim.fs.normalize(vim.fn.getcwd())
end

local function find_root()
  return roots.of_buffer(0) or vim.b.intent_lsp_root or roots.of_directory(working_directory())
end

--- Return the root that a command means: that of the current buffer or page, else that of the
--- working directory. Warn and return nil if no root governs here.
function M.current_root()
  local root = find_root()
  if not root then
    messages.warn(
      ('not governed: no %s here or above; :IntentInit creates it'):format(roots.INTENTS)
    )
  end
  return root
end

local function now()
  return vim.uv.hrtime() / 1e6
end

local function warn_no_answer(client)
  messages.warn(
    ('the server for %s does not answer; see :checkhealth intent_lsp'):format(client.root_dir)
  )
end

local function when_ready(client, deadline, on_client)
  if client.initialized and not client:is_stopped() then
    on_client(client)
  elseif client:is_stopped() or now() > deadline then
    warn_no_answer(client)
  else
    vim.defer_fn(function()
      when_ready(client, deadline, on_client)
    end, POLL_INTERVAL)
  end
end

--- Call `on_client` with the client of a root when it is ready; start the server if none runs.
function M.with_client(root, on_client)
  local client, reason = attachment.start(root)
  if client then
    when_ready(client, now() + START_TIMEOUT, on_client)
  else
    messages.warn(reason)
  end
end

--- Call `on_client` with the client of the current root when it is ready.
function M.with_current_client(on_client)
  local root = M.current_root()
  if root then
    M.with_client(root, on_client)
  end
end

--- Return the client of the current root if it is ready already, else nil or false.
function M.running_client()
  local root = find_root()
  return root
    and vim.iter(vim.lsp.get_clients({ name = attachment.NAME })):find(function(client)
      return client.root_dir == root and client.initialized == true
    end)
end

--- Send a request about the client's root. Show an error, and then call `on_error` if given.
function M.send(client, method, params, on_result, on_error)
  params.workspaceUri = vim.uri_from_fname(client.root_dir)
  local sent = client:request(method, params, function(err, result)
    if err then
      messages.error(err.message)
      if on_error then
        on_error(client)
      end
    else
      on_result(result, client)
    end
  end)
  if not sent then
    warn_no_answer(client)
  end
end

--- Send a request about the current root.
function M.send_here(method, params, on_result)
  M.with_current_client(function(client)
    M.send(client, method, params, on_result)
  end)
end

return M
