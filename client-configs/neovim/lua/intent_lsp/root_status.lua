-- The status of each root, as its server sent it last: stored for statuslines. Notifications of the
-- server are emitted as `User` events.

local M = {}

local status_by_client = {}

local function emit(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, modeline = false, data = data })
end

local function same_directory(one, other)
  return one == other or vim.uv.fs_realpath(one) == vim.uv.fs_realpath(other)
end

--- Store the status that a client sent, if it is that of the client's own root.
function M.store(client_id, status)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and status.root and same_directory(status.root, client.root_dir) then
    status_by_client[client_id] = status
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Return the `Status` of a client's root, or nil if the server has not sent one yet.
function M.get(client_id)
  return status_by_client[client_id]
end

--- Remove the status of a client that has ended.
function M.forget(client_id)
  status_by_client[client_id] = nil
end

M.handlers = {
  ['intent/didChange'] = function(_, status, context)
    M.store(context.client_id, status)
    emit('IntentLspChanged', status)
  end,
  -- Shows nothing: the server itself shows a message.
  ['intent/didDeny'] = function(_, decision)
    emit('IntentLspDenied', decision)
  end,
  ['intent/didTrace'] = function(_, record)
    emit('IntentLspTraced', record)
  end,
}

return M
