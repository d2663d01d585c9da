import { closeSync, openSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/* Preloaded into a process: a signal makes it open files until it has no descriptor left, and the next one makes it close them. */
const opened: number[] = []

function openAll(): void {
  try {
    for (;;) opened.push(openSync('/dev/null', 'r'))
  } catch {
    process.stdout.write(`exhausted after ${opened.length} files\n`)
  }
}

if (isMainThread) {
  process.on('SIGWINCH', () => {
    if (opened.length === 0) return openAll()
    opened.splice(0).forEach((file) => closeSync(file))
  })
}
