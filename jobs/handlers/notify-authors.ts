import { addQuestionNotice } from '../../src/notifications/recipients/question-queries.ts'
import type { Effect } from './delivery.ts'

/** Writes who is to be told of a question or an answer, as `notifyFollowers` does of issues: here it is one person, or nobody. */
export const notifyAuthors: Effect = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addQuestionNotice(tx, event.id)
    },
    wake: async () => {
      if (count > 0) await queue.enqueue('send-notices', {}, { id: `notices-${event.id}` })
      log.debug({ event_id: event.id, notices: count }, 'notices are owed')
    },
  })
}
