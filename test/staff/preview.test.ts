import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'

const app = useApp()
let [ella, ada]: TestUser[] = []
let issue: number

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  ella = await app.create.user({ name: 'Ella Reyes', memberOf: [{ organization: roads }] })
  ada = await app.create.user({ name: 'Ada Park' })
  const ben = await app.create.user()
  issue = await app.create.issue({
    summary: 'Pothole',
    reporter: ada,
    locale: 'es',
    request_type: await app.create.requestType({ organization: roads }),
  })
  for (const by of [ella, ada, ben]) await app.create.follow({ on: issue, by })
  await app.create.watchArea({ of: await app.create.user() })
})

const post = (by: TestUser | undefined, step: string, body: object) =>
  app.as.user(by as TestUser).send('POST', `/api/v2/issues/${issue}/${step}`, { body })
const writes = () =>
  queryRows(
    app.db,
    sql`SELECT (SELECT count(*) FROM comments) AS comments, (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM mails) AS mails`,
  )

describe('POST /issues/:id/preview', () => {
  it('returns the mail and the numbers of recipients of a closing, as it is sent afterwards, and writes nothing', async () => {
    const closing = { comment: 'We filled it.', outcome: 'fixed' }
    const before = await writes()

    const preview = await post(ella, 'preview', { ...closing, transition: 'close' })

    expect(preview.status).toBe(200)
    expect(await writes()).toEqual(before)
    const { subject, text, recipients, is_held } = preview.body as Record<string, string>
    expect({ recipients, is_held }).toEqual({ recipients: { reporter: 1, followers: 1, watchers: 1 }, is_held: false })
    await post(ella, 'close', closing)
    const { mailer, sent } = createMailbox()
    const { services, send } = createNotifier(app.db, mailer)
    const { id } = await app.db.prisma.event.findFirstOrThrow({ where: { type: 'issue.closed' } })
    await deliver({ event_id: Number(id), handler: 'notify' }, services, new AbortController().signal)
    await send()
    const own = sent.find(({ to }) => to === ada?.email)
    const withoutToken = (mail: string | undefined) => mail?.replaceAll(/token=\S+/g, '')
    expect(sent).toHaveLength(3)
    expect([subject, withoutToken(text)]).toEqual([own?.subject, withoutToken(own?.text)])
  })

  it('says that a text would be held', async () => {
    const preview = await post(ella, 'preview', { comment: 'You asshole' })

    expect(preview.body).toEqual({
      is_held: true,
      locale: null,
      subject: null,
      text: null,
      recipients: { reporter: 0, followers: 0, watchers: 0 },
    })
  })

  it('returns 422 as the change itself, and 403 to residents', async () => {
    const answers = [
      await post(ella, 'preview', { comment: 'Done.', transition: 'close', outcome: 'reported_fixed' }),
      await post(ella, 'preview', { comment: 'Done.', transition: 'open' }),
      await post(ada, 'preview', { comment: 'Done.' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 403])
  })
})
