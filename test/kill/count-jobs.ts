import { Queue, type IQueueBackend } from 'bullmq'

import { openBackend, type Connection, type QueueOptions } from '../../src/queue/backends.ts'
import { queueNames } from '../../src/queue/job-definitions.ts'

export async function watchQueues(options: QueueOptions) {
  const onError = () => undefined
  const backend = await openBackend(options, 'worker', onError)
  const queues = queueNames.map((name) => {
    const queue = new Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, Connection>(
      name,
      backend.options,
      backend.factory,
    )
    queue.on('error', onError)
    return queue
  })
  return {
    /** Returns the number of waiting and active jobs. */
    async count(): Promise<number> {
      const counts = await Promise.all(queues.map((queue) => queue.getJobCountByTypes('waiting', 'active', 'prioritized')))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    async close(): Promise<void> {
      await Promise.all(queues.map((queue) => queue.close()))
      await backend.close()
    },
  }
}
