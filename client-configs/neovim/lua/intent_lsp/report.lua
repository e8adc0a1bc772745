-- The report of the ledger, one page of HTML: shown in the browser or written to a file.

local attachment = require('intent_lsp.attachment')
local messages = require('intent_lsp.messages')
local requests = require('intent_lsp.requests')
local server_program = require('intent_lsp.server_program')

local M = {}

-- The exit status of a report on a ledger that does not verify; the page is written anyway.
local NOT_VERIFIED = 1

local function default_path(root)
  local directory = vim.fs.joinpath(vim.fn.stdpath('cache'), 'intent-lsp')
  vim.fn.mkdir(directory, 'p')
  return vim.fs.joinpath(directory, ('report-%s.html'):format(vim.fn.sha256(root):sub(1, 16)))
end

local function first_line(text)
  return vim.split(vim.trim(text or ''), '\n')[1]
end

local function show(result, path, open_browser)
  if result.code ~= 0 and result.code ~= NOT_VERIFIED then
    messages.error('no report: ' .. first_line(result.stderr))
    return
  end
  if open_browser then
    local _, err = vim.ui.open(path)
    if err then
      messages.warn(
        ('the report was written to %s, but no browser could be opened: %s'):format(
          path,
          first_line(err)
        )
      )
      return
    end
  end
  local verdict = result.code == NOT_VERIFIED and '; the ledger FAILED verification' or ''
  messages.info(('the report was written to %s%s'):format(path, verdict))
end

--- Write the report of the current root to `path`, or show it in the browser.
function M.write(path, opts)
  local root = requests.current_root()
  local config = vim.lsp.config[attachment.NAME]
  local command = server_program.command_prefix(config.cmd)
  if not root then
    return
  elseif not command then
    messages.warn(
      'the server is started by your own function, so run this yourself: `intent-lsp trace report --html FILE`'
    )
    return
  end
  local page = path or default_path(root)
  vim.list_extend(command, { 'trace', 'report', '--html', page, '-C', root })
  if opts.force then
    command[#command + 1] = '--force'
  end
  local options = { text = true, cwd = config.cmd_cwd, env = config.cmd_env }
  local ok, err = pcall(vim.system, command, options, function(result)
    vim.schedule(function()
      show(result, page, path == nil)
    end)
  end)
  if not ok then
    messages.warn(('%s cannot be run: %s'):format(command[1], first_line(err)))
  end
end

return M
