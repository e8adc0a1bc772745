-- Pages of records that are odd: other letters, other places, files that are gone.

local H = dofile(vim.env.SCRIPT_HARNESS)

local function record(files)
  return {
    id = 'b3c1f0de-5a52-4a3c-9d0e-0c6d6a6f7a11',
    timestamp = '2026-11-21T20:27:33.123Z',
    scope_validation = 'FAIL',
    success = false,
    files = files,
  }
end

local function file(path, more)
  local written = {
    contributor = { entity_type = 'AI' },
    ranges = { { start_line = 0, end_line = 0, replaced = { 1, 3, 0 } } },
  }
  local whole = { relative_path = path, conversations = { written } }
  return vim.tbl_extend('force', whole, more or {})
end

local function filled(rows)
  local pages = require('intent_lsp.pages')
  pages.fill(pages.show('odd', H.given.root), rows)
  return H.lines()
end

local function opened()
  vim.cmd.messages('clear')
  local before = vim.api.nvim_get_current_win()
  H.press('<CR>')
  local said = vim.trim(H.messages())
  local place = vim.api.nvim_buf_get_name(0)
  vim.api.nvim_set_current_win(before)
  return { place = place, said = said }
end

H.run(function()
  local records = require('intent_lsp.records')
  local function opening(path, more)
    local rows = filled(records.rows(H.given.root, record({ file(path, more) })))
    vim.fn.search('^' .. vim.fn.escape(path:gsub('%c', ' '), '\\[]~*.'))
    return { last = rows[#rows], opened = opened() }
  end

  H.edit('README.md')
  H.report('rows', filled({
    records.row(record({ file('a\nb'), file('c') }), { 'REVERTED', 'x\ny' }),
    records.row(record({})),
  }))
  H.report('fixed', { modifiable = vim.bo.modifiable, modified = vim.bo.modified })
  H.report('fails', #records.rows(H.given.root, record({})))
  H.report('gone', opening('gone.txt'))
  H.report('outside', opening('../outside.txt'))
  H.report('absolute', opening('/etc/hostname'))
  H.report('encoded', opening('READ%4DE.md', { path_encoding = 'percent' }))
  H.report('renamed', opening('README.md', { previous_path = 'OLD.md' }))
  H.report('entries', records.entries(H.given.root, record({ file('README.md'), file('../x') })))
  vim.cmd.only()
  H.press('q')
  H.report('closed', { windows = #vim.api.nvim_list_wins(), name = vim.api.nvim_buf_get_name(0) })
end)
