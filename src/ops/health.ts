import { queueNames } from '../queue/contracts.ts'
import type { ReplicaSight, Snapshot } from './snapshot.ts'

/** In seconds. From here on somebody should look. */
export const ALARM_AFTER = {
  withoutWorker: 60,
  oldestJob: 300,
  oldestPending: 3_600,
  oldestMail: 3_600,
  archiveLate: 60,
} as const

/** Sixteen segments of the log, minutes of a busy service: whoever only reads sees that much less. */
const LAG_ALARM_BYTES = 256 * 1024 * 1024

export interface QueueHealth {
  readonly status: 'ok' | 'alarm'
  readonly workers: number | null
  readonly without_worker_s: number | null
  readonly waiting: number | null
  readonly active: number | null
  readonly failed: number | null
  readonly oldest_waiting_s: number | null
}

/**
 * What is wrong, each as `check: sentence`, and what was looked at; null is what could not be asked. `warnings` are of the
 * configuration: they do not change the status.
 */
export function healthOf(seen: Snapshot, warnings: readonly string[] = []) {
  const alarms: string[] = []
  const judge = (check: string, faults: readonly (string | false | undefined)[]) => {
    const told = faults.filter((fault) => typeof fault === 'string')
    alarms.push(...told.map((fault) => `${check}: ${fault}`))
    return told.length === 0 ? ('ok' as const) : ('alarm' as const)
  }
  const database = { status: judge('database', [!seen.isDatabaseUp && 'it does not answer']) }
  const queue = { status: judge('queue', [!seen.isQueueUp && 'it does not answer']) }
  const queues = Object.fromEntries(queueNames.map((name) => [name, queueHealth(name, seen, judge)]))
  const effects = effectsOf(seen)
  const mails = seen.mails
  const late_s = seen.archive_late_s
  const checks = {
    database,
    replicas: Object.fromEntries(seen.replicas.map((replica) => [replica.name, replicaHealth(replica, judge)])),
    queue,
    queues,
    effects: {
      status: judge('effects', [
        isOver(effects?.oldest_pending_s, ALARM_AFTER.oldestPending) && `one is pending for ${text(effects?.oldest_pending_s)}`,
        effects !== null && effects.dead > 0 && `${effects.dead} dead: see /ops/dead`,
      ]),
      pending: effects?.pending ?? null,
      oldest_pending_s: effects?.oldest_pending_s ?? null,
      dead: effects?.dead ?? null,
    },
    mails: {
      status: judge('mails', [
        isOver(mails?.oldest_open_s, ALARM_AFTER.oldestMail) && `one waits for ${text(mails?.oldest_open_s)}`,
      ]),
      open: mails?.open ?? null,
      oldest_open_s: seconds(mails?.oldest_open_s),
    },
    archive: {
      status: judge('archive', [isOver(late_s, ALARM_AFTER.archiveLate) && `an issue is overdue by ${text(late_s)}`]),
      late_s: seconds(late_s),
    },
  }
  return { status: alarms.length === 0 ? ('ok' as const) : ('alarm' as const), alarms, warnings: [...warnings], checks }
}

type Judge = (check: string, faults: readonly (string | false | undefined)[]) => 'ok' | 'alarm'

function replicaHealth({ name, isUp, lag_bytes = null }: ReplicaSight, judge: Judge) {
  const status = judge(name, [
    !isUp && 'it takes no reads',
    isUp && lag_bytes === null && 'it is no standby, so whoever changed something reads none of it',
    lag_bytes !== null && lag_bytes >= LAG_ALARM_BYTES && `it is ${Math.round(lag_bytes / 1024 / 1024)} MB behind`,
  ])
  return { status, is_up: isUp, lag_bytes }
}

function queueHealth(name: (typeof queueNames)[number], { queues, workers }: Snapshot, judge: Judge): QueueHealth {
  const [queue, worker] = [queues?.get(name), workers?.get(name)]
  const status = judge(`queues.${name}`, [
    isOver(worker?.without_worker_s, ALARM_AFTER.withoutWorker) && `no worker for ${text(worker?.without_worker_s)}`,
    isOver(queue?.oldest_waiting_s, ALARM_AFTER.oldestJob) && `a job waits for ${text(queue?.oldest_waiting_s)}`,
  ])
  return {
    status,
    workers: worker?.workers ?? null,
    without_worker_s: seconds(worker?.without_worker_s),
    waiting: queue?.waiting ?? null,
    active: queue?.active ?? null,
    failed: queue?.failed ?? null,
    oldest_waiting_s: seconds(queue?.oldest_waiting_s),
  }
}

function effectsOf({ effects }: Snapshot) {
  if (effects === undefined) return null
  const ages = effects.flatMap(({ oldest_pending_s }) => oldest_pending_s ?? [])
  return {
    pending: effects.reduce((sum, { pending }) => sum + pending, 0),
    dead: effects.reduce((sum, { dead }) => sum + dead, 0),
    oldest_pending_s: ages.length === 0 ? null : seconds(Math.max(...ages)),
  }
}

const isOver = (value: number | null | undefined, most: number) => typeof value === 'number' && value >= most
const seconds = (value: number | null | undefined) => (typeof value === 'number' ? Math.round(value) : null)
const text = (value: number | null | undefined) => `${seconds(value) ?? 0} s`
