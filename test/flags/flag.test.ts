import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { approve, flag, givenAccount, givenOld, itemsOf } from './given.ts'
import { queryRows } from '../helpers/query-rows.ts'

const it = useApp()

const flags = () => queryRows(it.db, sql`SELECT f.issue_id, f.comment_id, f.user_id, f.message FROM flags f ORDER BY f.id`)
const events = () => queryRows(it.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const FLAGGED = { status: 201, body: { flagged: 1 } }

describe('a flag', () => {
  test('is 201 {flagged: 1}, for an issue and for a comment, is kept with its message, and is an event', async () => {
    const ada = await it.given.user()
    const issue = await it.given.issue()
    const comment = await it.given.comment({ on: issue })

    const answers = [
      await flag(it, ada, `/issues/${issue}`, { message: '  Sold here.  ' }),
      await flag(it, ada, `/comments/${comment}`, { message: 'x'.repeat(1_000) }),
    ]

    expect(answers).toMatchObject([FLAGGED, FLAGGED])
    expect(await flags()).toEqual([
      { issue_id: issue, comment_id: null, user_id: ada.id, message: 'Sold here.' },
      { issue_id: null, comment_id: comment, user_id: ada.id, message: 'x'.repeat(1_000) },
    ])
    expect(await events()).toEqual([
      { type: 'issue.flagged', subject_id: issue, actor_id: ada.id, payload: { flag_id: 1 } },
      { type: 'comment.flagged', subject_id: comment, actor_id: ada.id, payload: { issue_id: issue, flag_id: 2 } },
    ])
  })

  test('of the same person again is the same answer and changes nothing', async () => {
    const ada = await it.given.user()
    const issue = await it.given.issue()
    await flag(it, ada, `/issues/${issue}`, { message: 'First.' })

    const again = await flag(it, ada, `/issues/${issue}`, { message: 'Second.' })

    expect(again).toMatchObject(FLAGGED)
    expect([await flags(), await events()]).toMatchObject([[{ message: 'First.' }], [{ type: 'issue.flagged' }]])
  })

  test('is taken as a form and as multipart/form-data, too', async () => {
    const [ada, bob] = [await it.given.user(), await it.given.user()]
    const issue = await it.given.issue()
    const form = new FormData()
    form.append('message', 'In parts.')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }

    const answers = [
      await it.as.user(ada).send('POST', `/api/v2/issues/${issue}/flag`, { body: 'message=In+a+form.', headers }),
      await flag(it, bob, `/issues/${issue}`, form),
    ]

    expect(answers).toMatchObject([FLAGGED, FLAGGED])
    expect(await flags()).toMatchObject([{ message: 'In a form.' }, { message: 'In parts.' }])
  })

  test.each([
    ['without a message', {}, 'is required: text of 1 to 1,000 characters'],
    ['with a blank one', { message: ' \n\t ' }, 'must be text of 1 to 1,000 characters'],
    ['with one that nobody can see', { message: '\u200b \u202e' }, 'must be text of 1 to 1,000 characters'],
    ['with one that is too long', { message: 'x'.repeat(1_001) }, 'must be text of 1 to 1,000 characters'],
    ['with one that is no text', { message: 5 }, 'must be text of 1 to 1,000 characters'],
    ['with one that no database keeps', { message: 'a\0' }, 'must not contain the character U+0000'],
  ])('%s is 422 naming it', async (_, body, message) => {
    const ada = await it.given.user()
    const issue = await it.given.issue()

    expect(await flag(it, ada, `/issues/${issue}`, body)).toMatchObject({ status: 422, body: { message } })
    expect(await flags()).toEqual([])
  })

  test('of what one wrote oneself is 422 {base}, also where nobody else knows who wrote it', async () => {
    const ada = await it.given.user()
    const issue = await it.given.issue({ reporter: ada, anonymous: true })
    const comment = await it.given.comment({ on: issue, by: ada })

    const answers = [await flag(it, ada, `/issues/${issue}`), await flag(it, ada, `/comments/${comment}`)]

    const base = 'You wrote this yourself, so you cannot flag it: say in a comment what is wrong with it.'
    expect(answers).toMatchObject([
      { status: 422, body: { base } },
      { status: 422, body: { base } },
    ])
    expect(await flags()).toEqual([])
  })

  test('of what is not public is 404, and to its author and moderators 422 {base}', async () => {
    const [ada, bob] = [await it.given.user(), await it.given.user()]
    const admin = await it.given.user({ role: 'Admin' })
    const held = await it.given.issue({ reporter: ada, moderation_state: 'held' })
    const issue = await it.given.issue()
    const paths = [
      `/issues/${held}`,
      `/comments/${await it.given.comment({ on: issue, by: ada, moderation_state: 'rejected' })}`,
      `/comments/${await it.given.comment({ on: held, by: ada })}`,
      '/issues/999',
      '/comments/999',
    ]

    const statuses = async (person: typeof admin) => Promise.all(paths.map(async (path) => (await flag(it, person, path)).status))

    expect(await statuses(bob)).toEqual([404, 404, 404, 404, 404])
    expect(await statuses(ada)).toEqual([422, 422, 422, 404, 404])
    expect(await statuses(admin)).toEqual([422, 422, 422, 404, 404])
    expect(await flags()).toEqual([])
  })

  test('cannot be told by anybody from any answer about the issue', async () => {
    const people = await givenOld(it, 3)
    const issue = await it.given.issue()
    const comment = await it.given.comment({ on: issue })
    const told = async () => (await it.as.nobody.get(`/issues/${issue}`)).text
    const before = await told()

    for (const person of people) {
      await flag(it, person, `/issues/${issue}`)
      await flag(it, person, `/comments/${comment}`)
    }

    expect(await itemsOf(it)).toHaveLength(2)
    expect(await told()).toBe(before)
  })
})

describe('three flags', () => {
  test('put an issue before the moderators, with the text as it stands, and it goes on to show', async () => {
    const people = await givenOld(it, 4)
    const issue = await it.given.issue({ summary: 'Cheap flats', description: 'Call us', address: '1 Main St' })

    const items = []
    for (const person of people) {
      await flag(it, person, `/issues/${issue}`)
      items.push((await itemsOf(it)).length)
    }

    expect(items).toEqual([0, 0, 1, 1])
    expect(await itemsOf(it)).toEqual([
      {
        subject_type: 'issue',
        subject_id: issue,
        state: 'held',
        reasons: ['flagged'],
        original: { summary: 'Cheap flats', description: 'Call us', address: '1 Main St' },
        requested_move: null,
      },
    ])
    expect((await it.as.nobody.get(`/issues/${issue}`)).status).toBe(200)
  })

  test('put a comment before them, not its issue; and flags of one are none of the other', async () => {
    const people = await givenOld(it, 3)
    const issue = await it.given.issue()
    const comment = await it.given.comment({ on: issue, comment: 'Cheap flats' })

    for (const person of people.slice(1)) await flag(it, person, `/issues/${issue}`)
    for (const person of people) await flag(it, person, `/comments/${comment}`)

    expect(await itemsOf(it)).toMatchObject([
      { subject_type: 'comment', subject_id: comment, original: { comment: 'Cheap flats' } },
    ])
  })

  test('count where the account was older than a day when it flagged, and never where it was not', async () => {
    const old = await givenOld(it, 2)
    const [young, grown] = [await givenAccount(it, 0.99), await givenAccount(it, 1.01)]
    const issue = await it.given.issue()
    const tomorrow = await appOn(it.db, {}, { clock: () => new Date(Date.now() + 86_400_000) })
    const again = { headers: bearer(young.token), body: { message: 'Again.' } }

    for (const person of [...old, young]) await flag(it, person, `/issues/${issue}`)
    await tomorrow.nobody.send('POST', `/api/v2/issues/${issue}/flag`, again)
    const before = await itemsOf(it)
    await flag(it, grown, `/issues/${issue}`)

    expect([before, (await flags()).length]).toEqual([[], 4])
    expect(await itemsOf(it)).toHaveLength(1)
  })

  test('more are needed, of people who have not flagged yet, once a moderator let it stand', async () => {
    const people = await givenOld(it, 7)
    const issue = await it.given.issue()
    const flagAll = async (from: number, to: number) => {
      for (const person of people.slice(from, to)) await flag(it, person, `/issues/${issue}`)
      return (await itemsOf(it)).length
    }

    // The fourth comes while the item lies before the moderator, who sees it, too.
    const counts = [await flagAll(0, 4)]
    await approve(it)
    counts.push(await flagAll(0, 6), await flagAll(6, 7))

    expect(counts).toEqual([1, 1, 2])
    expect(await itemsOf(it)).toMatchObject([{ state: 'approved' }, { state: 'held', reasons: ['flagged'] }])
  })
})
