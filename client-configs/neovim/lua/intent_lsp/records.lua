-- Records of the ledger as rows of a page and as entries of a quickfix list.

local pages = require('intent_lsp.pages')
local telling = require('intent_lsp.telling')

local M = {}

local VERDICTS = { PASS = 'IntentLspPass', FAIL = 'IntentLspFail', EXEMPT = 'IntentLspExempt' }
local word = telling.word

--- Give the path of a recorded file; nil: what the record names is not a file of the root.
local function path_of(root, file)
  local relative = file.relative_path
  if file.path_encoding then
    relative = vim.uri_decode(relative)
  end
  local strays = vim.startswith(relative, '/') or vim.list_contains(vim.split(relative, '/'), '..')
  if strays or relative:find('%z') then
    return nil
  end
  return root .. '/' .. relative
end

local function time_of(record)
  return (word(record.timestamp):sub(1, 16):gsub('T', ' '))
end

local function summary(record)
  return ('%s  %s  %s  %s'):format(
    time_of(record),
    word(record.intent_id),
    word(record.scope_validation),
    word(record.tool_name)
  )
end

local function colours(record)
  return {
    { word(record.intent_id), 'IntentLspIntent' },
    { word(record.scope_validation), VERDICTS[record.scope_validation] or 'Normal' },
  }
end

--- Give the row of a record in a list, without what opens it.
function M.row(record, flags)
  local file = record.files[1]
  local said = { summary(record), file and word(file.relative_path) or '-' }
  if #record.files > 1 then
    said[#said + 1] = ('and %d more'):format(#record.files - 1)
  end
  vim.list_extend(said, vim.tbl_map(word, flags or {}))
  return { text = table.concat(said, '  '), marks = colours(record) }
end

local function ranges_of(file)
  local found = {}
  for _, conversation in ipairs(file.conversations or {}) do
    for _, range in ipairs(conversation.ranges or {}) do
      found[#found + 1] = { range = range, contributor = conversation.contributor or {} }
    end
  end
  return found
end

local function range_row(path, written)
  local range, contributor = written.range, written.contributor
  local by = word(contributor.entity_type)
  if contributor.model_identifier then
    by = by .. ' ' .. word(contributor.model_identifier)
  end
  local row = {
    text = ('  lines %s-%s  by %s'):format(word(range.start_line), word(range.end_line), by),
  }
  local replaced = range.replaced
  if type(replaced) == 'table' and #replaced == 3 then
    row.text = ('%s  (%s lines for %s)'):format(row.text, word(replaced[3]), word(replaced[2]))
  end
  row.open = path and function()
    pages.visit(path, range.start_line)
  end
  return row
end

local function file_rows(root, file)
  local path = path_of(root, file)
  local name = word(file.relative_path)
  if file.previous_path then
    name = ('%s (was %s)'):format(name, word(file.previous_path))
  end
  local rows = {
    { text = '' },
    {
      text = name,
      marks = { { name, 'IntentLspPath' } },
      open = path and function()
        pages.visit(path)
      end,
    },
    { text = '  before  ' .. word(file.pre_hash) },
    { text = '  after   ' .. word(file.post_hash) },
  }
  for _, written in ipairs(ranges_of(file)) do
    rows[#rows + 1] = range_row(path, written)
  end
  return rows
end

--- Give all that a record says, as the rows of a page.
function M.rows(root, record, flags)
  local integrity, vcs = record.integrity or {}, record.vcs or {}
  local class = word(record.mutation_class) .. (record.inferred and ' (inferred)' or '')
  local rows = {}
  for _, fact in ipairs({
    { 'record', word(record.id) },
    { 'time', word(record.timestamp) },
    { 'intent', word(record.intent_id) },
    { 'verdict', word(record.scope_validation) },
    { 'happened', record.success == false and 'no' or 'yes' },
    { 'tool', word(record.tool_name) },
    { 'class', class },
    { 'session', word(record.session_id) },
    { 'commit', word(vcs.revision_id) },
    { 'follows', word(integrity.prev_record_hash) },
    { 'hash', word(integrity.record_hash) },
    { 'flags', word(table.concat(flags or {}, ', ')) },
  }) do
    rows[#rows + 1] = { text = ('%-9s %s'):format(fact[1], fact[2]), marks = colours(record) }
  end
  for _, file in ipairs(record.files) do
    vim.list_extend(rows, file_rows(root, file))
  end
  return rows
end

--- Give the entries of a quickfix list: one for each run of lines of each file.
function M.entries(root, record)
  local entries = {}
  for _, file in ipairs(record.files) do
    for _, written in ipairs(ranges_of(file)) do
      entries[#entries + 1] = {
        filename = path_of(root, file),
        -- A pure deletion at the top, and a file that is gone, have line 0.
        lnum = math.max(1, written.range.start_line),
        end_lnum = math.max(1, written.range.end_line),
        text = summary(record),
      }
    end
  end
  return entries
end

return M
