-- The ledger as one page of HTML: shown in the browser, or written to hand on.

local asking = require('intent_lsp.asking')
local attachment = require('intent_lsp.attachment')
local program = require('intent_lsp.program')
local telling = require('intent_lsp.telling')

local M = {}

-- Exit status of a report on a ledger that does not verify: the page is written all the same.
local BROKEN = 1

local function page_of(root)
  local room = vim.fs.joinpath(vim.fn.stdpath('cache'), 'intent-lsp')
  vim.fn.mkdir(room, 'p')
  return vim.fs.joinpath(room, ('report-%s.html'):format(vim.fn.sha256(root):sub(1, 16)))
end

local function first_line(text)
  return vim.split(vim.trim(text or ''), '\n')[1]
end

local function show(done, path, browse)
  if done.code ~= 0 and done.code ~= BROKEN then
    telling.refuse('no report: ' .. first_line(done.stderr))
    return
  end
  if browse then
    local _, wrong = vim.ui.open(path)
    if wrong then
      telling.warn(
        ('the report was written to %s, but no browser could be opened: %s'):format(
          path,
          first_line(wrong)
        )
      )
      return
    end
  end
  local verdict = done.code == BROKEN and '; the ledger does NOT verify' or ''
  telling.tell(('the report was written to %s%s'):format(path, verdict))
end

--- Write the report of this place to `path`, or show it in the browser.
function M.write(path, how)
  local root = asking.root_here()
  local config = vim.lsp.config[attachment.NAME]
  local words = program.words(config.cmd)
  if not root then
    return
  elseif not words then
    telling.warn(
      'the server is started by a function of your own; run `intent-lsp trace report --html FILE`'
    )
    return
  end
  local page = path or page_of(root)
  vim.list_extend(words, { 'trace', 'report', '--html', page, '-C', root })
  if how.force then
    words[#words + 1] = '--force'
  end
  local world = { text = true, cwd = config.cmd_cwd, env = config.cmd_env }
  local fine, wrong = pcall(vim.system, words, world, function(done)
    vim.schedule(function()
      show(done, page, path == nil)
    end)
  end)
  if not fine then
    telling.warn(('%s cannot be run: %s'):format(words[1], first_line(wrong)))
  end
end

return M
