import { spawn, type ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface ProcessResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartedProcess {
  readonly child: ChildProcess
  /** Resolves with the match in the standard output. @throws Error with the output if the process ends before */
  waitForOutput(awaited: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<ProcessResult>
}

/**
 * Starts `node FILE …` in the root of the project with only `env`, PATH and TMPDIR. The process is killed when the test ends.
 * @param openFilesMax limit of the open files of the process
 */
export function startNode(
  file: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  openFilesMax: number | 'unchanged' = 'unchanged',
): StartedProcess {
  const limit = openFilesMax === 'unchanged' ? '' : `ulimit -n ${openFilesMax} && `
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, file, ...args], {
    cwd: new URL('../../', import.meta.url),
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      TMPDIR: tmpdir(),
      NO_COLOR: '1',
      DRAIN_SECONDS: '0',
      MIGRATE_ON_START: 'on',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const exit = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve([code, signal]))
  })
  const ended = Promise.all([exit, output]).then(([[code, signal], [stdout, stderr]]) => ({ code, signal, stdout, stderr }))
  let seen = ''
  child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))
  const waitForOutput = (awaited: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = awaited.exec(seen)
        if (match) resolve(match)
      }
      look()
      child.stdout.on('data', look)
      ended.then(({ stderr }) => reject(new Error(`${file} ended before it printed ${String(awaited)}:\n${seen}${stderr}`)), reject)
    })
  return { child, waitForOutput, ended }
}

export const runNode = (file: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<ProcessResult> =>
  startNode(file, args, env).ended

/** Returns the messages of the complete lines of a log in JSON, as the service prints it without a terminal. */
export const messagesIn = (log: string): string =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
    .join('\n')
