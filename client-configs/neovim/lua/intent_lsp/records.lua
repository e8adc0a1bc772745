-- Records of the ledger, as rows of a page and as entries of the quickfix list.

local messages = require('intent_lsp.messages')
local pages = require('intent_lsp.pages')

local M = {}

local VERDICTS = { PASS = 'IntentLspPass', FAIL = 'IntentLspFail', EXEMPT = 'IntentLspExempt' }
local printable = messages.printable

--- Return the path of a recorded file, or nil if it would be outside of the root.
local function file_path(root, file)
  local relative = file.relative_path
  if file.path_encoding then
    relative = vim.uri_decode(relative)
  end
  local segments = vim.split(relative, '/')
  local is_outside = vim.startswith(relative, '/') or vim.list_contains(segments, '..')
  if is_outside or relative:find('%z') then
    return nil
  end
  return root .. '/' .. relative
end

local function time_text(record)
  return (printable(record.timestamp):sub(1, 16):gsub('T', ' '))
end

local function summary(record)
  return ('%s  %s  %s  %s'):format(
    time_text(record),
    printable(record.intent_id),
    printable(record.scope_validation),
    printable(record.tool_name)
  )
end

local function row_marks(record)
  return {
    { printable(record.intent_id), 'IntentLspIntent' },
    { printable(record.scope_validation), VERDICTS[record.scope_validation] or 'Normal' },
  }
end

--- Return the row of a record in a list; the caller sets its `open`.
function M.row(record, flags)
  local file = record.files[1]
  local parts = { summary(record), file and printable(file.relative_path) or '-' }
  if #record.files > 1 then
    parts[#parts + 1] = ('and %d more'):format(#record.files - 1)
  end
  vim.list_extend(parts, vim.tbl_map(printable, flags or {}))
  return { text = table.concat(parts, '  '), marks = row_marks(record) }
end

local function file_ranges(file)
  local found = {}
  for _, conversation in ipairs(file.conversations or {}) do
    for _, range in ipairs(conversation.ranges or {}) do
      found[#found + 1] = { range = range, contributor = conversation.contributor or {} }
    end
  end
  return found
end

local function range_row(path, entry)
  local range, contributor = entry.range, entry.contributor
  local author = printable(contributor.entity_type)
  if contributor.model_identifier then
    author = author .. ' ' .. printable(contributor.model_identifier)
  end
  local row = {
    text = ('  lines %s-%s  by %s'):format(
      printable(range.start_line),
      printable(range.end_line),
      author
    ),
  }
  local replaced = range.replaced
  if type(replaced) == 'table' and #replaced == 3 then
    local added, removed = printable(replaced[3]), printable(replaced[2])
    row.text = ('%s  (lines: %s, before: %s)'):format(row.text, added, removed)
  end
  row.open = path and function()
    pages.open_file(path, range.start_line)
  end
  return row
end

local function file_rows(root, file)
  local path = file_path(root, file)
  local name = printable(file.relative_path)
  if file.previous_path then
    name = ('%s (was %s)'):format(name, printable(file.previous_path))
  end
  local rows = {
    { text = '' },
    {
      text = name,
      marks = { { name, 'IntentLspPath' } },
      open = path and function()
        pages.open_file(path)
      end,
    },
    { text = '  before  ' .. printable(file.pre_hash) },
    { text = '  after   ' .. printable(file.post_hash) },
  }
  for _, entry in ipairs(file_ranges(file)) do
    rows[#rows + 1] = range_row(path, entry)
  end
  return rows
end

--- Return everything that a record holds, as the rows of a page.
function M.rows(root, record, flags)
  local integrity, vcs = record.integrity or {}, record.vcs or {}
  local class = printable(record.mutation_class) .. (record.inferred and ' (inferred)' or '')
  local rows = {}
  for _, fact in ipairs({
    { 'record', printable(record.id) },
    { 'time', printable(record.timestamp) },
    { 'intent', printable(record.intent_id) },
    { 'verdict', printable(record.scope_validation) },
    { 'happened', record.success == false and 'no' or 'yes' },
    { 'tool', printable(record.tool_name) },
    { 'class', class },
    { 'session', printable(record.session_id) },
    { 'commit', printable(vcs.revision_id) },
    { 'follows', printable(integrity.prev_record_hash) },
    { 'hash', printable(integrity.record_hash) },
    { 'flags', printable(table.concat(flags or {}, ', ')) },
  }) do
    rows[#rows + 1] = { text = ('%-9s %s'):format(fact[1], fact[2]), marks = row_marks(record) }
  end
  for _, file in ipairs(record.files) do
    vim.list_extend(rows, file_rows(root, file))
  end
  return rows
end

--- Return the entries of the quickfix list: one for each run of lines of each file.
function M.entries(root, record)
  local entries = {}
  for _, file in ipairs(record.files) do
    for _, entry in ipairs(file_ranges(file)) do
      entries[#entries + 1] = {
        filename = file_path(root, file),
        -- A deletion at the top of a file, and a deleted file, have line 0.
        lnum = math.max(1, entry.range.start_line),
        end_lnum = math.max(1, entry.range.end_line),
        text = summary(record),
      }
    end
  end
  return entries
end

return M
