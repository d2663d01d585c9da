import { sql } from '../../src/database/database.ts'
import { createReportTokens } from '../../src/open311/tokens/routes.ts'
import { GREEN } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'

/** Texts that a format could spoil. */
export const texts = [
  'Hole',
  'a < b & "c" > d',
  'line\r\nline\ttab',
  '  spaces  ',
  ']]>',
  '\u{1F573}',
  'bell\u{7}',
  '\u{FFFE}',
  '=1+1',
]
export const ORGANIZATION = 'Roads & <Parks>'
const PRIVATE = 'ring 555 0177 at night'

/** Creates the organisation 1 with the type 1, and 40 issues in all states with their history, comments and answers. */
export async function createCity(app: TestApp) {
  const organization = await app.create.organization({ name: ORGANIZATION })
  const type = await app.create.requestType({
    title: 'Hole',
    organization,
    questions: [
      { built_in: 'summary', question: 'What?', question_type: 'text' },
      { question: 'How <deep>?', question_type: 'select', select_values: [{ key: 'a', name: 'A & B' }] },
      { question: 'Please call 911', question_type: 'note' },
      { question: 'Is it dangerous?', question_type: 'boolean', response_required: true, answer_kept_private: true },
      { question: 'Which?', question_type: 'multivaluelist', select_values: [{ key: 'x', name: ']]>' }] },
    ],
  })
  const user = await app.create.user()
  for (let n = 0; n < 40; n++) {
    const status = (['Open', 'Acknowledged', 'Closed', 'Archived'] as const)[n % 4] ?? 'Open'
    const text = (offset: number) => texts[(n + offset) % texts.length] ?? ''
    const issue = await app.create.issue({
      summary: text(0),
      description: n % 3 === 0 ? null : 'é'.repeat((n * 997) % 9_000),
      address: n % 2 === 0 ? null : text(3),
      at: { lng: GREEN.lng + n / 1_000, lat: GREEN.lat },
      status,
      closed_at: n % 4 >= 2 ? new Date().toISOString() : null,
      created_at: new Date(Date.now() - n * 86_400_000).toISOString(),
      ...(n % 5 === 0 ? {} : { request_type: type }),
    })
    if (n % 3 === 0) await app.create.comment({ on: issue, by: user, comment: text(5) })
    if (n % 4 === 0) await app.create.formAnswer({ on: issue, question: 'How <deep>?', answer: text(2) })
    if (n % 6 === 0) await app.create.formAnswer({ on: issue, question: 'Telephone?', answer: PRIVATE, answer_kept_private: true })
  }
  await app.db.execute(sql`
    INSERT INTO status_changes (issue_id, from_status, to_status) SELECT i.id, 'Open', i.status FROM issues i WHERE i.status <> 'Open'
    RETURNING status_changes.id`)
  const held = await app.create.issue({ moderation_state: 'held', request_type: type })
  const { create } = createReportTokens(app.db)
  return { organization, type, held, tokens: [await create(1), await create(held)] }
}
