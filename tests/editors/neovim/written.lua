-- Written mistakes in the intents file, explained by hovers and mended by quick fixes.

local H = dofile(vim.env.SCRIPT_HARNESS)
local INTENTS = '.orchestration/active_intents.yaml'

H.run(function()
  H.edit(INTENTS)
  H.attached()
  H.go_to('src/auth')
  H.report('glob', H.hover())
  H.go_to('PLANNED')
  H.report('status', H.hover())
  H.type(3, 4, { '    statuss: PLANNED' })
  H.type(5, 5, { '    scope: [src/auth/*, *.py]' })
  H.type(4, 5, {})
  H.wait('what is wrong is marked', function()
    return #H.problems() >= 3
  end)
  H.go_to('statuss')
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'quickfix' } } })
  H.wait('one is put right', function()
    return H.lines()[4] == '    status: PLANNED'
  end)
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'source.fixAll' } } })
  H.wait('all is put right', function()
    return H.lines()[5]:find('owned_scope', 1, true)
  end)
  H.report('put right', vim.list_slice(H.lines(), 2, 5))
end)
