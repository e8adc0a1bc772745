-- Semantic tokens and formatting of the intents file, by Neovim's own functions.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

--- Return the semantic tokens at a place, each with its modifiers in order.
local function tokens_at(line, column)
  return vim.tbl_map(function(token)
    local modifiers = vim.tbl_keys(token.modifiers)
    table.sort(modifiers)
    return table.concat({ token.type, unpack(modifiers) }, ' ')
  end, vim.lsp.semantic_tokens.get_at_pos(0, line, column) or {})
end

H.run(function()
  vim.lsp.config('intent_lsp', { settings = { intentLsp = { format = true } } })
  H.edit(INTENTS)
  local client = H.attached()
  H.wait('tokens', function()
    return #tokens_at(1, 8) > 0
  end)
  H.report('tokens', {
    id = tokens_at(1, 8),
    status = tokens_at(9, 12),
    name = tokens_at(4, 19),
    wildcard = tokens_at(4, 28),
    comment = tokens_at(1, 20),
  })

  H.wait('formatting', function()
    return client:supports_method('textDocument/formatting', 0)
  end)
  H.type(1, 3, { '  - id:   INT-001   #the first', '    name: "Lögin"  ', '', '' })
  vim.lsp.buf.format({ name = 'intent_lsp' })
  H.report('formatted', vim.api.nvim_buf_get_lines(0, 0, 6, false))

  H.edit('src/auth/login.py')
  H.attached()
  H.report('elsewhere', client:supports_method('textDocument/formatting', 0))
end)
