import { beforeEach, describe, expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { findUnsubscribeKey, type Subscription, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { createBrowser } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from '../moderation/scenario.ts'
import { listStoredMails, makeDue, createNotifier, createMailbox } from './notifier.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingQuestion, createPendingAnswer, flagged, findOpenItem, approve, reject } =
  createModerationScenario(app)

const CITY = 'new-haven'
let asker: TestUser
let answerer: TestUser
let question: number
beforeEach(async () => {
  await app.create.place({ url_name: CITY, name: 'New Haven' })
  asker = await app.create.user({ name: 'Ada Park', locale: 'en' })
  answerer = await app.create.user({ name: 'Ben Stone', locale: 'es' })
  question = await app.create.question({ place: 1, by: asker, question: 'Where can I drop off old paint?' })
  await app.db.execute(sql`UPDATE questions q SET locale = 'fr' RETURNING q.id`)
})

const act = async (by: TestUser, method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}, headers = {}) =>
  (await app.as.user(by).send(method, `/api/v2${path}`, { body, headers })).body as { id: number }
const answer = async (by = answerer, body: object = {}) =>
  (await act(by, 'POST', `/questions/${question}/answers`, { answer: 'At the depot.', ...body })).id
const accept = (by: TestUser, id: number) => act(by, 'PUT', `/answers/${id}/accept`)

async function writeMails() {
  const { services } = createNotifier(app.db, createMailbox().mailer)
  const pending = await queryRows<{ event_id: number }>(
    app.db,
    sql`
    SELECT e.event_id FROM outbox_deliveries e WHERE e.handler = 'notify' AND e.delivered_at IS NULL ORDER BY e.event_id`,
  )
  for (const { event_id } of pending) await deliver({ event_id, handler: 'notify' }, services, new AbortController().signal)
}
async function send(): Promise<[string, string][]> {
  const { mailer, sent } = createMailbox()
  await createNotifier(app.db, mailer).send()
  return sent.map(({ to, subject }) => [to, subject])
}
const mails = async () => (await writeMails(), send())
const cancelled = { end: 'failed', reply: 'no longer wanted' }

const ANSWER_SUBJECT = 'Votre question a reçu une réponse : Where can I drop off old paint?'

describe('a mail is sent', () => {
  it('to the asker for an answer, once, in the language of the question', async () => {
    await answer()
    await writeMails()
    await app.db.execute(sql`UPDATE outbox_deliveries e SET delivered_at = NULL WHERE e.handler = 'notify' RETURNING e.event_id`)

    expect([await mails(), await mails()]).toEqual([[[asker.email, ANSWER_SUBJECT]], []])
    expect(await listStoredMails(app.db)).toMatchObject([{ end: 'sent', attempts: 1 }])
  })

  it('to no user for an answer to their own question', async () => {
    await answer(asker)
    expect(await mails()).toEqual([])
  })

  it('to the answerer for an acceptance, in the language of the answer or else of the user', async () => {
    const other = await app.create.user({ locale: 'fr' })
    const [first, second] = [await answer(answerer, { locale: 'en' }), await answer(other)]
    await app.db.execute(sql`UPDATE answers a SET locale = NULL WHERE a.id = ${second} RETURNING a.id`)
    await mails()

    await accept(asker, first)
    const firstMails = await mails()
    await accept(asker, second)

    expect(firstMails).toEqual([[answerer.email, 'Your answer was accepted: Where can I drop off old paint?']])
    expect(await mails()).toEqual([[other.email, 'Votre réponse a été acceptée : Where can I drop off old paint?']])
  })

  it('to no user for accepting their own answer, and once for repeated acceptances', async () => {
    const [own, other] = [await answer(asker), await answer()]
    await accept(asker, own)
    await accept(asker, other)
    await act(asker, 'DELETE', `/answers/${other}/accept`)
    await accept(asker, other)

    expect((await mails()).map(([to]) => to)).toEqual([asker.email, answerer.email])
  })

  it('once if the answer is accepted again after the mail was sent', async () => {
    const answerId = await answer()
    const recipients: string[] = []
    for (let time = 1; time <= 3; time++) {
      await accept(asker, answerId)
      recipients.push(...(await mails()).map(([to]) => to))
      await act(asker, 'DELETE', `/answers/${answerId}/accept`)
    }

    expect(recipients.filter((to) => to === answerer.email)).toEqual([answerer.email])
  })

  it('to authors of rejected texts, with the reason of the moderator', async () => {
    const mia = await moderator()
    const pending = await createPendingQuestion(asker, CITY)
    const pendingAnswer = await createPendingAnswer(answerer, question)
    await reject(mia, await findOpenItem('question', pending), 'Be kind.')
    await reject(mia, await findOpenItem('answer', pendingAnswer))
    await writeMails()
    const { mailer, sent } = createMailbox()
    await createNotifier(app.db, mailer).send()

    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
      [asker.email, 'Your question was not published: Where do assholes park?'],
      [answerer.email, 'Tu respuesta no se ha publicado: Where can I drop off old paint?'],
    ])
    expect(sent[0]?.text).toContain('The moderator says: Be kind.')
    expect(sent[0]?.text).toContain(`/questions/${pending}`)
    expect(JSON.stringify(sent)).not.toContain(mia.name)
  })

  it('when pending content is approved, not before', async () => {
    const mia = await moderator()
    const item = await findOpenItem('answer', await createPendingAnswer(answerer, question))
    const before = await mails()

    await approve(mia, item)

    expect([before, await mails()]).toEqual([[], [[asker.email, ANSWER_SUBJECT]]])
  })
})

describe('a pending mail is cancelled', () => {
  it('if the answer or its question was hidden meanwhile', async () => {
    const mia = await moderator()
    const id = await answer()
    await writeMails()
    await reject(mia, (await flagged('answer', id)) ?? 0)
    await writeMails()
    const afterAnswer = await send()
    await answer()
    await writeMails()
    await reject(mia, (await flagged('question', question)) ?? 0)

    expect(afterAnswer.map(([to]) => to)).toEqual([answerer.email])
    expect(await send()).toEqual([])
    expect(await listStoredMails(app.db)).toMatchObject([cancelled, cancelled, { end: 'sent' }])
  })

  it('if the acceptance was undone, after three days, and if the recipient turned mails off', async () => {
    const id = await answer()
    await mails()
    await accept(asker, id)
    await writeMails()
    await act(asker, 'DELETE', `/answers/${id}/accept`)
    const unaccepted = await mails()
    await answer()
    await writeMails()
    await app.db.execute(sql`UPDATE events v SET created_at = now() - interval '73 hours' RETURNING v.id`)
    const late = await send()
    await answer(await app.create.user())
    await writeMails()
    await app.db.execute(sql`UPDATE users u SET issue_mails = FALSE RETURNING u.id`)

    expect([unaccepted, late, await send()]).toEqual([[], [], []])
    await makeDue(app.db)
    expect(await send()).toEqual([])
  })
})

describe('the unsubscribe link of a question', () => {
  const tokenOf = async (of: Subscription) => unsubscribeToken(await findUnsubscribeKey(app.db), of)
  const ofQuestion = () => tokenOf({ kind: 'question', user_id: asker.id, question_id: question })
  const oneClick = (token: string) =>
    app.as.anonymous.send('POST', `/unsubscribe?token=${token}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': '' },
      body: 'List-Unsubscribe=One-Click',
    })
  const press = (token: string, action: string) => createBrowser(app.fastify).post('/unsubscribe', { token, do: action })

  it('is that of List-Unsubscribe, and changes nothing when it is opened', async () => {
    await answer()
    await writeMails()
    const { mailer, sent } = createMailbox()
    await createNotifier(app.db, mailer).send()

    const [, link = ''] = /<(.*)>/.exec(sent[0]?.headers?.['List-Unsubscribe'] ?? '') ?? []
    expect(new URL(link).searchParams.get('token')).toBe(await ofQuestion())
    const { status, visibleText, text } = await createBrowser(app.fastify).get(new URL(link).pathname + new URL(link).search)
    expect([status, text.includes('<html lang="fr">')]).toEqual([200, true])
    expect(visibleText).toContain('Ne plus recevoir de courriels sur cette question')
    expect(visibleText).toContain('Ne plus recevoir de courriels sur aucun signalement ni aucune question')
    expect(await queryRows(app.db, sql`SELECT m.user_id FROM question_mutes m`)).toEqual([])
  })

  it('ends mails about this question only, pending ones too, and can resume them', async () => {
    const other = await app.create.question({ place: 1, by: asker })
    await answer()
    await writeMails()
    const token = await ofQuestion()

    const statuses = [(await oneClick(token)).status, (await oneClick(token)).status]
    await answer(await app.create.user())
    await act(answerer, 'POST', `/questions/${other}/answers`, { answer: 'Here.' })
    const muted = await mails()
    const page = await press(token, 'undo-question')
    await answer(await app.create.user())

    expect([statuses, muted.map(([to]) => to)]).toEqual([[200, 200], [asker.email]])
    expect(page.visibleText).not.toContain('Annuler')
    expect(await mails()).toEqual([[asker.email, ANSWER_SUBJECT]])
  })

  it('can end all mails and resume them', async () => {
    const token = await ofQuestion()
    const settings = () => queryRows(app.db, sql`SELECT u.issue_mails FROM users u WHERE u.id = ${asker.id}`)

    const stopped = [(await press(token, 'stop-all')).status, await settings()]

    expect(stopped).toEqual([200, [{ issue_mails: false }]])
    await press(token, 'undo-all')
    expect(await settings()).toEqual([{ issue_mails: true }])
  })

  it('is rejected if it is forged or for another subject, and shows no hidden question', async () => {
    const token = await ofQuestion()
    const statuses = [
      `i${token.slice(1)}`,
      token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x'),
      await tokenOf({ kind: 'question', user_id: 999, question_id: 1 }),
    ]
    expect(await Promise.all(statuses.map(async (one) => (await oneClick(one)).status))).toEqual([404, 404, 404])
    await app.db.execute(sql`UPDATE questions q SET moderation_state = 'rejected' RETURNING q.id`)

    expect((await createBrowser(app.fastify).get(`/unsubscribe?token=${token}`)).text).not.toContain('paint')
  })
})
