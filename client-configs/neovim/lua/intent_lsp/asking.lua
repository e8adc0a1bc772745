-- Questions to the server of a place; whatever keeps them from being answered is said in one line.

local attachment = require('intent_lsp.attachment')
local roots = require('intent_lsp.roots')
local telling = require('intent_lsp.telling')

local M = {}

-- Milliseconds: for a server that is just starting, and between two looks at it.
local START_TIME, LOOK = 5000, 10

local function working_directory()
  return vim.fs.normalize(vim.fn.getcwd())
end

local function find_root()
  return roots.of_buffer(0) or vim.b.intent_lsp_root or roots.of_directory(working_directory())
end

--- Give the root that a command means: the current buffer's or page's, else that of the working
--- directory; nil: nobody governs here, which is said.
function M.root_here()
  local root = find_root()
  if not root then
    telling.warn(
      ('not governed: no %s here or above; :IntentInit creates it'):format(roots.INTENTS)
    )
  end
  return root
end

local function now()
  return vim.uv.hrtime() / 1e6
end

local function say_silence(client)
  telling.warn(
    ('the server for %s does not answer; see :checkhealth intent_lsp'):format(client.root_dir)
  )
end

local function when_ready(client, deadline, on_client)
  if client.initialized and not client:is_stopped() then
    on_client(client)
  elseif client:is_stopped() or now() > deadline then
    say_silence(client)
  else
    vim.defer_fn(function()
      when_ready(client, deadline, on_client)
    end, LOOK)
  end
end

--- Hand over the client of a root once it answers, started if need be.
function M.client_of(root, on_client)
  local client, reason = attachment.start(root)
  if client then
    when_ready(client, now() + START_TIME, on_client)
  else
    telling.warn(reason)
  end
end

--- Hand over the client of the place where the person is.
function M.client_here(on_client)
  local root = M.root_here()
  if root then
    M.client_of(root, on_client)
  end
end

--- The client of the place where the person is, if it runs already and answers.
function M.running_here()
  local root = find_root()
  return root
    and vim.iter(vim.lsp.get_clients({ name = attachment.NAME })):find(function(client)
      return client.root_dir == root and client.initialized == true
    end)
end

--- Ask a server something of its root; an error is shown, and then `on_error` is called.
function M.request(client, method, params, on_result, on_error)
  params.workspaceUri = vim.uri_from_fname(client.root_dir)
  local sent = client:request(method, params, function(err, result)
    if err then
      telling.refuse(err.message)
      if on_error then
        on_error(client)
      end
    else
      on_result(result, client)
    end
  end)
  if not sent then
    say_silence(client)
  end
end

--- Ask the server of the place where the person is.
function M.request_here(method, params, on_result)
  M.client_here(function(client)
    M.request(client, method, params, on_result)
  end)
end

return M
