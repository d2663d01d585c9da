import { parseArgs } from 'node:util'

import { killTest } from './kill-test.ts'
import { formatOutcome } from './format-outcome.ts'

// npm run test:kill [-- --kills 2000 --seed 42 --queue postgres --patient]: kills the service, its database and its queue with SIGKILL
// during writes, and counts lost and duplicate work. KILLS, SEED and QUEUE are environment variables for the same options.
const say = (line: string) => process.stdout.write(`${line}\n`)

function readOptions() {
  const { KILLS = '200', SEED = String(Math.floor(Math.random() * 1e6)), QUEUE = 'redis' } = process.env
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: KILLS },
      seed: { type: 'string', default: SEED },
      queue: { type: 'string', default: QUEUE },
      patient: { type: 'boolean', default: false },
    },
  })
  const { kills, seed, queue, patient } = values
  const wrong = [
    /^[1-9]\d{0,4}$/.test(kills) ? '' : '--kills must be a number from 1 to 99999',
    /^\d{1,9}$/.test(seed) ? '' : '--seed must be a number from 0 to 999999999',
    queue === 'redis' || queue === 'postgres' ? '' : '--queue must be redis or postgres',
  ].filter((text) => text !== '')
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  return {
    kills: Number(kills),
    seed: Number(seed),
    queue: queue === 'postgres' ? ('postgres' as const) : ('redis' as const),
    patient,
  }
}

const FINDINGS_SHOWN_MAX = 40

try {
  const { patient, ...options } = readOptions()
  say(`${options.kills} kills, the queue on ${options.queue}; to run the same again: --seed ${options.seed}`)
  const outcome = await killTest({
    ...{ ...options, waitsForLeases: patient, say, pace: { from_ms: 200, to_ms: 800 }, wait_max_ms: 20_000 },
    ...{ writers: 8, people: 60, issues: 30, settle_max_ms: patient ? 4_000_000 : 240_000 },
  })
  say(`\n${formatOutcome(outcome)}`)
  const { findings } = outcome
  for (const { kind, text } of findings.slice(0, FINDINGS_SHOWN_MAX)) say(`${kind}: ${text}`)
  if (findings.length > 0) say(`${findings.length} findings; the logs are in ${outcome.folder}`)
  process.exitCode = findings.length > 0 ? 1 : 0
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n`)
  process.exitCode = 1
}
