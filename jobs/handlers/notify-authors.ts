import { addQuestionNotice } from '../../src/notifications/recipients/question-queries.ts'
import type { Effect } from './delivery.ts'

export const notifyAuthors: Effect = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addQuestionNotice(tx, event.id)
    },
    wake: async () => {
      if (count > 0) await queue.enqueue('send-notifications', {}, { id: `notices-${event.id}` })
      log.debug({ event_id: event.id, notices: count }, 'notices are owed')
    },
  })
}
