import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'

import { openQueue, type JobQueue, queueOptions } from '../../jobs/queue.ts'
import type { Services } from '../../src/services.ts'
import { appOn } from '../http/app-on.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { silentLog } from '../jobs/log.ts'

export const OPS_TOKEN = 'a-token-of-the-operators'

/** An app that sees a queue, and what it is asked with by whoever has OPS_TOKEN. */
export async function opsApp(db: TestApp['db'], queue: JobQueue | undefined, replace: Partial<Services> = {}) {
  const opened = await appOn(db, { OPS_TOKEN }, { ...(queue ? { queue } : {}), ...replace })
  const ask = (url: string, headers: Record<string, string> = {}) =>
    opened.nobody.send('GET', url, { headers: { authorization: `Bearer ${OPS_TOKEN}`, ...headers } })
  return { ...opened, ask }
}

/** A queue of the test's own, beside the database, empty when the test ends. */
export async function givenQueue(options: Parameters<typeof openQueue>[0]): Promise<JobQueue> {
  const queue = await openQueue(options, silentLog)
  onTestFinished(async () => {
    await Promise.all(Object.values(queue.queues).map((one) => one.obliterate({ force: true })))
    await queue.close()
  })
  return queue
}

export const ownPrefix = () => `test-${randomBytes(4).toString('hex')}`
export { queueOptions }
