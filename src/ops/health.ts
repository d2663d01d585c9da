import { queueNames } from '../queue/job-definitions.ts'
import type { ReplicaState, Snapshot } from './snapshot.ts'

export const ALARM_AFTER = {
  withoutWorker: 60,
  oldestJob: 300,
  oldestPending: 3_600,
  oldestMail: 3_600,
  dueMail: 240,
  archiveDelay: 60,
} as const

/** Fewer may be the matter of one receiver, as in the alert of Prometheus. */
const REFUSED_MAILS_MIN = 5

const FAILED_OVER = 'database: it has failed over, or was restored, and may lack changes: run "npm run verify"'

/** The lag is sixteen segments of the write-ahead log, which a busy service writes in minutes. */
const LAG_ALARM_BYTES = 256 * 1024 * 1024

/** Returns the alarms as `check: sentence`, and the values. Warnings change no status. @param warnings about the configuration */
export function assessHealth(snapshot: Snapshot, warnings: readonly string[] = []) {
  const alarms: string[] = []
  const check = (name: string, problems: readonly (string | false | undefined)[]) => {
    const found = problems.filter((problem) => typeof problem === 'string')
    alarms.push(...found.map((problem) => `${name}: ${problem}`))
    return found.length === 0 ? ('ok' as const) : ('alarm' as const)
  }
  const answers = (name: string, isUp: boolean) => ({ status: check(name, [!isUp && 'it does not answer']) })
  const database = answers('database', snapshot.isDatabaseUp)
  const queue = answers('queue', snapshot.isQueueUp)
  const queues = Object.fromEntries(queueNames.map((name) => [name, queueHealth(name, snapshot, check)]))
  const outbox = sumDeliveries(snapshot)
  const mails = snapshot.mails
  const delay_s = snapshot.archive_delay_s
  const checks = {
    database,
    replicas: Object.fromEntries(snapshot.replicas.map((replica) => [replica.name, replicaHealth(replica, check)])),
    servers: Object.fromEntries([...snapshot.servers].map(([name, isUp]) => [name, answers(name, isUp)])),
    queue,
    queues,
    outbox: {
      status: check('outbox', [
        overdue(outbox?.oldest_pending_s, ALARM_AFTER.oldestPending, 'a delivery has been pending for'),
        outbox !== null &&
          outbox.dead_letters > 0 &&
          `${outbox.dead_letters} dead ${outbox.dead_letters === 1 ? 'letter' : 'letters'}, see /ops/dead-letters`,
      ]),
      pending: outbox?.pending ?? null,
      oldest_pending_s: outbox?.oldest_pending_s ?? null,
      dead_letters: outbox?.dead_letters ?? null,
    },
    mails: {
      status: check('mails', [
        overdue(mails?.oldest_pending_s, ALARM_AFTER.oldestMail, 'a mail has been waiting for'),
        overdue(mails?.oldest_due_s, ALARM_AFTER.dueMail, 'no mail goes out, for'),
        mails?.none_sent === true &&
          mails.retried >= REFUSED_MAILS_MIN &&
          overdue(mails.oldest_pending_s, ALARM_AFTER.dueMail, 'the mail server has taken none, for'),
      ]),
      pending: mails?.pending ?? null,
      oldest_pending_s: roundSeconds(mails?.oldest_pending_s),
    },
    archive: {
      status: check('archive', [overdue(delay_s, ALARM_AFTER.archiveDelay, 'an issue is overdue by')]),
      late_s: roundSeconds(delay_s),
    },
  }
  return {
    status: alarms.length === 0 ? ('ok' as const) : ('alarm' as const),
    alarms,
    warnings: [
      ...warnings,
      ...(snapshot.has_failed_over ? [FAILED_OVER] : []),
      ...endpointWarnings(snapshot),
      ...webhookWarnings(snapshot),
    ],
    checks,
  }
}

/** An endpoint of another operator that is away is no failure of this service. */
const endpointWarnings = ({ endpoints = [] }: Snapshot): string[] =>
  endpoints.flatMap(({ organization, poll_failures, last_poll_error }) =>
    last_poll_error === null
      ? []
      : `forwarding: no updates of the endpoint of ${organization}${poll_failures > 1 ? ` in the last ${poll_failures} polls` : ''}: ${last_poll_error}`,
  )

/** The same holds for the receivers of webhooks, whose owners get a mail. */
function webhookWarnings({ webhooks }: Snapshot): string[] {
  const { working = 0, failing = 0, stopped = 0 } = webhooks ?? {}
  if (failing + stopped === 0) return []
  const advice = working === 0 ? ': check that workers reach other servers' : ''
  return [`webhooks: ${failing} failing, ${stopped} stopped, ${working} working${advice}`]
}

type Check = (name: string, problems: readonly (string | false | undefined)[]) => 'ok' | 'alarm'

function replicaHealth({ name, isUp, lag_bytes = null }: ReplicaState, check: Check) {
  const status = check(name, [
    !isUp && 'it serves no reads',
    isUp && lag_bytes === null && 'it is not a standby, so users would not see their own changes there',
    lag_bytes !== null && lag_bytes >= LAG_ALARM_BYTES && `it is ${Math.round(lag_bytes / 1024 / 1024)} MB behind`,
  ])
  return { status, is_up: isUp, lag_bytes }
}

function queueHealth(name: (typeof queueNames)[number], { queues, workers }: Snapshot, check: Check) {
  const [queue, worker] = [queues?.get(name), workers?.get(name)]
  const status = check(`queues.${name}`, [
    overdue(worker?.without_worker_s, ALARM_AFTER.withoutWorker, 'no worker for'),
    overdue(queue?.oldest_waiting_s, ALARM_AFTER.oldestJob, 'a job has been waiting for'),
  ])
  return {
    status,
    workers: worker?.workers ?? null,
    without_worker_s: roundSeconds(worker?.without_worker_s),
    waiting: queue?.waiting ?? null,
    active: queue?.active ?? null,
    failed: queue?.failed ?? null,
    oldest_waiting_s: roundSeconds(queue?.oldest_waiting_s),
  }
}

function sumDeliveries({ deliveries }: Snapshot) {
  if (deliveries === undefined) return null
  const ages = deliveries.flatMap(({ oldest_pending_s }) => oldest_pending_s ?? [])
  return {
    pending: deliveries.reduce((sum, { pending }) => sum + pending, 0),
    dead_letters: deliveries.reduce((sum, { dead }) => sum + dead, 0),
    oldest_pending_s: ages.length === 0 ? null : roundSeconds(Math.max(...ages)),
  }
}

const roundSeconds = (value: number | null | undefined) => (typeof value === 'number' ? Math.round(value) : null)

/** Returns the sentence with the time in seconds from the threshold on. */
const overdue = (value: number | null | undefined, threshold: number, sentence: string) =>
  typeof value === 'number' && value >= threshold && `${sentence} ${Math.round(value)} s`
