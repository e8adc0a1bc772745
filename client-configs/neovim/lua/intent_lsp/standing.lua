-- How each root stands: what the server said of it last, kept for statuslines, passed on as events.

local M = {}

local by_client = {}

local function announce(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, modeline = false, data = data })
end

local function same_directory(one, other)
  return one == other or vim.uv.fs_realpath(one) == vim.uv.fs_realpath(other)
end

--- Keep what a client said of its own root; what it says of another root is not its standing.
function M.keep(client_id, status)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and status.root and same_directory(status.root, client.root_dir) then
    by_client[client_id] = status
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Give the `Status` of a client's root; nil before the server has said anything.
function M.of(client_id)
  return by_client[client_id]
end

--- Forget a client that has ended.
function M.forget(client_id)
  by_client[client_id] = nil
end

M.handlers = {
  ['intent/didChange'] = function(_, status, context)
    M.keep(context.client_id, status)
    announce('IntentLspChanged', status)
  end,
  -- The person is told by a message of the server's own.
  ['intent/didDeny'] = function(_, decision)
    announce('IntentLspDenied', decision)
  end,
  ['intent/didTrace'] = function(_, traced)
    announce('IntentLspTraced', traced)
  end,
}

return M
