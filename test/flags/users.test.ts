import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from '../moderation/scenario.ts'
import { sendPendingMails } from '../notifications/mail-worker.ts'
import { createMailbox } from '../notifications/notifier.ts'
import { createOldAccounts, flag, listItems } from './scenario.ts'

const app = useApp()
const { moderator, findOpenItem, approve, reject } = createModerationScenario(app)

const AVATAR = 'pictures/avatar-of-the-user.jpg'
let rude: TestUser
let mia: TestUser
beforeEach(async () => {
  rude = await app.create.user({ name: 'A rude word', locale: 'es' })
  mia = await app.create.user({ name: 'Mia', role: 'Admin' })
  await app.db.prisma.user.update({ where: { id: rude.id }, data: { avatar_full: AVATAR } })
})

const flagThreeTimes = async () => {
  for (const person of await createOldAccounts(app, 3)) await flag(app, person, `/users/${rude.id}`)
  return findOpenItem('user', rude.id)
}
const readUser = () => app.db.prisma.user.findUniqueOrThrow({ where: { id: rude.id }, select: { name: true, avatar_full: true } })

describe('POST /users/:id/flag', () => {
  it('returns 201 {flagged: 1}, twice for the same user, and 404 for an unknown one', async () => {
    const ada = await app.create.user()

    const answers = [await flag(app, ada, `/users/${rude.id}`), await flag(app, ada, `/users/${rude.id}`)]

    expect(answers).toMatchObject(Array(2).fill({ status: 201, body: { flagged: 1 } }))
    expect(await queryRows(app.db, sql`SELECT f.flagged_user_id, f.user_id FROM flags f`)).toEqual([
      { flagged_user_id: rude.id, user_id: ada.id },
    ])
    expect(await queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e`)).toEqual([
      { type: 'user.flagged', subject_id: rude.id, actor_id: ada.id, payload: { flag_id: 1 } },
    ])
    expect((await flag(app, ada, '/users/999')).status).toBe(404)
  })

  it('returns 422 {base} for one’s own profile and 401 without a login', async () => {
    const own = await flag(app, rude, `/users/${rude.id}`)
    const anonymous = await app.as.anonymous.send('POST', `/api/v2/users/${rude.id}/flag`, { body: { message: 'Spam' } })

    expect(own).toMatchObject({ status: 422, body: { base: expect.stringContaining('This is your own profile') as string } })
    expect(anonymous.status).toBe(401)
  })

  it('puts the user before the Admins after three flags, and changes nothing until then', async () => {
    await flagThreeTimes()

    expect(await listItems(app)).toEqual([
      {
        subject_type: 'user',
        subject_id: rude.id,
        state: 'held',
        reasons: ['flagged'],
        original: { name: 'A rude word' },
        requested_transition: null,
      },
    ])
    expect(await readUser()).toEqual({ name: 'A rude word', avatar_full: AVATAR })
  })
})

it('GET /users/:id/flag names the user and links back to their page', async () => {
  const { status, text } = await app.as.anonymous.send('GET', `/users/${rude.id}/flag`)

  expect(status).toBe(200)
  expect(text).toContain('<p><b>A rude word</b></p>')
  expect(text).toContain(`<a href="/users/${rude.id}">Back to the user</a>`)
})

describe('a flagged user', () => {
  it('is shown to Admins with name and picture, on the page and by the API, and not to moderators of an organisation', async () => {
    const item = await flagThreeTimes()
    const other = app.as.user(await moderator())
    const browser = await createLoggedInBrowser(app, mia)

    const list = await browser.get('/moderation')
    const page = await browser.get(`/moderation/${item}`)
    const answer = await app.as.user(mia).get(`/moderation/${item}`)

    expect(list.visibleText).toContain('User by A rude word')
    expect(page.visibleText).toContain('The name becomes a neutral one')
    expect(page.text).toContain(`<img class="photo" src="/files/${AVATAR}" alt="Picture of this user">`)
    expect(page.text).toContain('id="field-name"')
    expect(page.text).toContain(`href="/users/${rude.id}"`)
    expect(answer.body).toMatchObject({ subject_type: 'user', subject: { id: rude.id, name: 'A rude word' } })
    expect((await other.get('/moderation')).body).toMatchObject({ items: [] })
    expect((await other.get(`/moderation/${item}`)).status).toBe(404)
  })

  it('gets a neutral name, no picture and a mail with the reason if an Admin rejects them', async () => {
    const item = await flagThreeTimes()
    const { mailer, sent } = createMailbox()

    const answer = await reject(mia, item, 'It insults people.')
    await sendPendingMails({ ...app.services, mailer, queue: { enqueue: () => Promise.resolve('') } })

    expect(answer).toMatchObject({ status: 200, body: { state: 'rejected', subject: { name: `Usuario ${rude.id}` } } })
    expect(await readUser()).toEqual({ name: `Usuario ${rude.id}`, avatar_full: null })
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[rude.email, 'Un moderador ha cambiado tu nombre y tu imagen']])
    expect(sent[0]?.text).toContain('El moderador dice: It insults people.')
    expect(sent[0]?.text).not.toContain('A rude word')
  })

  it('keeps name and picture, or gets the name that the Admin writes, if an Admin keeps them', async () => {
    const item = await flagThreeTimes()

    const wrong = [await approve(mia, item, { name: 'x' }), await approve(mia, item, { summary: 'A summary' })]
    const answer = await approve(mia, item, { name: ' Rudi Word ' })

    expect(wrong).toMatchObject([
      { status: 422, body: { name: expect.any(String) as string } },
      { status: 422, body: { summary: expect.any(String) as string } },
    ])
    expect(answer).toMatchObject({ status: 200, body: { state: 'approved' } })
    expect(await readUser()).toEqual({ name: 'Rudi Word', avatar_full: AVATAR })
  })

  it('needs flags of other users after a decision', async () => {
    const item = await flagThreeTimes()
    await approve(mia, item)

    expect(await readUser()).toEqual({ name: 'A rude word', avatar_full: AVATAR })
    expect(await findOpenItem('user', rude.id)).toBe(0)
    expect(await flagThreeTimes()).not.toBe(0)
  })
})
