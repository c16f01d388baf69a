#!/usr/bin/env node
// Holds (pause) or lowers (duck) what other programs play while a command runs. It needs no package: Node's sockets cannot receive
// a file without a native module, and `audiosession focus` ends its hold when its input ends, which a crash does too.
//   ./focus.js pause arecord -d 5 memo.wav
const { spawn } = require('node:child_process')

/** @returns a function that gives back. Where nothing is held, the program goes on without. */
function holdOthers(kind, reason, ...except) {
  const words = ['focus', `--${kind}`, '--reason', reason, ...except.flatMap((name) => ['--except', name])]
  const focus = spawn('audiosession', words, { stdio: ['pipe', 'ignore', 'inherit'] })
  focus.on('error', (error) => console.error(`focus: the others play on: ${error.message}`))
  focus.stdin.on('error', () => {})
  return () => focus.stdin.end()
}

const [kind, command, ...words] = process.argv.slice(2)
// The sound of this program itself is to stay as it is.
const giveBack = holdOthers(kind, 'example', command)
spawn(command, words, { stdio: 'inherit' }).on('close', (status) => {
  giveBack()
  process.exitCode = status
})
