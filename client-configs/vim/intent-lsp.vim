" intent-lsp with vim-lsp: `source` this from your vimrc, after vim-lsp.

if exists('g:loaded_intent_lsp')
  finish
endif
let g:loaded_intent_lsp = 1

" The server's program and its arguments; yours is kept.
let g:intent_lsp_command = get(g:, 'intent_lsp_command', ['intent-lsp', 'serve'])

" The governed directory that the buffer's file is in, empty where nobody governs.
function! s:root() abort
  let l:found = findfile('.orchestration/active_intents.yaml', expand('%:p:h') . ';')
  return empty(l:found) ? '' : fnamemodify(l:found, ':p:h:h')
endfunction

function! s:register() abort
  call lsp#register_server({
        \ 'name': 'intent-lsp',
        \ 'cmd': {info -> g:intent_lsp_command},
        \ 'allowlist': ['*'],
        \ 'root_uri': {info -> empty(s:root()) ? '' : lsp#utils#path_to_uri(s:root())},
        \ })
endfunction

" Runs a command of the server; says what came of it.
function! s:run(command, arguments) abort
  call lsp#send_request('intent-lsp', {
        \ 'method': 'workspace/executeCommand',
        \ 'params': {'command': a:command, 'arguments': a:arguments},
        \ 'on_notification': function('s:done', [a:command]),
        \ })
endfunction

function! s:done(command, answer) abort
  let l:response = get(a:answer, 'response', {})
  let l:result = get(l:response, 'result', {})
  if lsp#client#is_error(l:response)
    echohl WarningMsg | echomsg 'intent-lsp: ' . l:response['error']['message'] | echohl None
  elseif a:command ==# 'intent.list'
    for l:intent in l:result['intents']
      echomsg printf('%s %s: %s (%s)', l:intent['id'] ==# l:result['activeIntentId'] ? '*' : ' ',
            \ l:intent['id'], l:intent['name'], l:intent['status'])
    endfor
  elseif a:command ==# 'intent.select'
    let l:intent = l:result['intent']
    echomsg printf('intent-lsp: %s %s (%s)', l:intent['id'], l:intent['name'], l:intent['status'])
  elseif a:command ==# 'intent.status'
    let l:active = l:result['activeIntentId']
    echomsg printf('intent-lsp: %s · saves: %s · records: %d',
          \ empty(l:active) ? 'no intent' : l:active, l:result['enforcement'], l:result['records'])
  else
    echomsg 'intent-lsp: no intent'
  endif
endfunction

" Without an id: lists the intents.
command! -nargs=? IntentSelect
      \ call s:run(empty(<q-args>) ? 'intent.list' : 'intent.select', empty(<q-args>) ? [] : [<q-args>])
command! IntentClear call s:run('intent.clear', [])
command! IntentStatus call s:run('intent.status', [])

augroup intent_lsp
  autocmd!
  autocmd User lsp_setup call s:register()
augroup END
