" intent-lsp with vim-lsp: `source` this from your vimrc, after vim-lsp.

if exists('g:loaded_intent_lsp')
  finish
endif
let g:loaded_intent_lsp = 1

" The server's program and its arguments; a value that you have set before is kept.
let g:intent_lsp_command = get(g:, 'intent_lsp_command', ['intent-lsp', 'serve'])

" Return the root that governs the buffer's file, or '' if none does.
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

" Run a command of the server and show its result.
function! s:run(command, arguments) abort
  call lsp#send_request('intent-lsp', {
        \ 'method': 'workspace/executeCommand',
        \ 'params': {'command': a:command, 'arguments': a:arguments},
        \ 'on_notification': function('s:show_result', [a:command]),
        \ })
endfunction

" Show the result of a command, or its error.
function! s:show_result(command, answer) abort
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

" Without an id list the intents.
command! -nargs=? IntentSelect
      \ call s:run(empty(<q-args>) ? 'intent.list' : 'intent.select', empty(<q-args>) ? [] : [<q-args>])
command! IntentClear call s:run('intent.clear', [])
command! IntentStatus call s:run('intent.status', [])

augroup intent_lsp
  autocmd!
  autocmd User lsp_setup call s:register()
augroup END
