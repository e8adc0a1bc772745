-- A file that changed on disk while its buffer was edited: compared with the disk, then taken.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INVOICE = 'src/billing/invoice.py'

--- Return, for each window in diff mode, its lines and whether it may be edited.
local function compared()
  local shown = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local bufnr = vim.api.nvim_win_get_buf(window)
    if vim.wo[window].diff then
      local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
      shown[#shown + 1] = { lines[#lines], #lines, vim.bo[bufnr].modifiable, vim.bo[bufnr].filetype }
    end
  end
  return shown
end

H.run(function()
  H.edit(INVOICE)
  H.attached()
  vim.cmd('IntentSelect INT-002')
  H.status_shows('INT-002')
  H.type(10, 10, { 'mine 🙂' })
  vim.fn.writefile(H.given.theirs, H.path(INVOICE))
  H.report('stale', H.shows({ 'STALE_FILE' }))
  H.report('actions', H.actions(0))
  H.run_action(0, 'Compare with')
  H.wait('the comparison', function()
    return #compared() == 2
  end)
  H.report('compared', compared())
  H.report('current', vim.fn.expand('%:.'))
  vim.cmd('wincmd h')
  vim.cmd.close()
  H.report('closed', compared())
  H.run_action(0, 'Take the version on disk')
  H.shows({})
  H.report('taken', H.lines())
end)
