import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { approve, flag, createAccount, createOldAccounts, listItems } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const flags = () => queryRows(app.db, sql`SELECT f.issue_id, f.comment_id, f.user_id, f.message FROM flags f ORDER BY f.id`)
const events = () => queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const FLAGGED = { status: 201, body: { flagged: 1 } }

describe('POST /issues/:id/flag and /comments/:id/flag', () => {
  it('returns 201 {flagged: 1} for an issue and a comment, and stores the message and an event', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const comment = await app.create.comment({ on: issue })

    const answers = [
      await flag(app, ada, `/issues/${issue}`, { message: '  Sold here.  ' }),
      await flag(app, ada, `/comments/${comment}`, { message: 'x'.repeat(1_000) }),
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

  it('returns the same response for a second flag of the same user and changes nothing', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    await flag(app, ada, `/issues/${issue}`, { message: 'First.' })

    const again = await flag(app, ada, `/issues/${issue}`, { message: 'Second.' })

    expect(again).toMatchObject(FLAGGED)
    expect([await flags(), await events()]).toMatchObject([[{ message: 'First.' }], [{ type: 'issue.flagged' }]])
  })

  it('accepts a form and multipart/form-data, too', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue()
    const form = new FormData()
    form.append('message', 'In parts.')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }

    const answers = [
      await app.as.user(ada).send('POST', `/api/v2/issues/${issue}/flag`, { body: 'message=In+a+form.', headers }),
      await flag(app, bob, `/issues/${issue}`, form),
    ]

    expect(answers).toMatchObject([FLAGGED, FLAGGED])
    expect(await flags()).toMatchObject([{ message: 'In a form.' }, { message: 'In parts.' }])
  })

  it.each([
    ['no message', {}, 'is required: text of 1 to 1,000 characters'],
    ['a blank message', { message: ' \n\t ' }, 'must be text of 1 to 1,000 characters'],
    ['an invisible message', { message: '\u200b \u202e' }, 'must be text of 1 to 1,000 characters'],
    ['a message that is too long', { message: 'x'.repeat(1_001) }, 'must be text of 1 to 1,000 characters'],
    ['a message that is not a string', { message: 5 }, 'must be text of 1 to 1,000 characters'],
    ['a message with a NUL character', { message: 'a\0' }, 'must not contain the character U+0000'],
  ])('returns 422 for %s', async (_, body, message) => {
    const ada = await app.create.user()
    const issue = await app.create.issue()

    expect(await flag(app, ada, `/issues/${issue}`, body)).toMatchObject({ status: 422, body: { message } })
    expect(await flags()).toEqual([])
  })

  it('returns 422 {base} for one’s own text, also if it is anonymous', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ reporter: ada, anonymous: true })
    const comment = await app.create.comment({ on: issue, by: ada })

    const answers = [await flag(app, ada, `/issues/${issue}`), await flag(app, ada, `/comments/${comment}`)]

    const base = 'You wrote this yourself, so you cannot flag it: describe in a comment what is wrong with it.'
    expect(answers).toMatchObject([
      { status: 422, body: { base } },
      { status: 422, body: { base } },
    ])
    expect(await flags()).toEqual([])
  })

  it('returns 404 for what is not public, but 422 {base} to its author and moderators', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const admin = await app.create.user({ role: 'Admin' })
    const pending = await app.create.issue({ reporter: ada, moderation_state: 'held' })
    const issue = await app.create.issue()
    const paths = [
      `/issues/${pending}`,
      `/comments/${await app.create.comment({ on: issue, by: ada, moderation_state: 'rejected' })}`,
      `/comments/${await app.create.comment({ on: pending, by: ada })}`,
      '/issues/999',
      '/comments/999',
    ]

    const statuses = async (person: typeof admin) => Promise.all(paths.map(async (path) => (await flag(app, person, path)).status))

    expect(await statuses(bob)).toEqual([404, 404, 404, 404, 404])
    expect(await statuses(ada)).toEqual([422, 422, 422, 404, 404])
    expect(await statuses(admin)).toEqual([422, 422, 422, 404, 404])
    expect(await flags()).toEqual([])
  })

  it('changes no response about the issue', async () => {
    const people = await createOldAccounts(app, 3)
    const issue = await app.create.issue()
    const comment = await app.create.comment({ on: issue })
    const readIssue = async () => (await app.as.anonymous.get(`/issues/${issue}`)).text
    const before = await readIssue()

    for (const person of people) {
      await flag(app, person, `/issues/${issue}`)
      await flag(app, person, `/comments/${comment}`)
    }

    expect(await listItems(app)).toHaveLength(2)
    expect(await readIssue()).toBe(before)
  })
})

describe('three flags', () => {
  it('add a moderation item with the current text of an issue, which stays public', async () => {
    const people = await createOldAccounts(app, 4)
    const issue = await app.create.issue({ summary: 'Cheap flats', description: 'Call us', address: '1 Main St' })

    const items = []
    for (const person of people) {
      await flag(app, person, `/issues/${issue}`)
      items.push((await listItems(app)).length)
    }

    expect(items).toEqual([0, 0, 1, 1])
    expect(await listItems(app)).toEqual([
      {
        subject_type: 'issue',
        subject_id: issue,
        state: 'held',
        reasons: ['flagged'],
        original: { summary: 'Cheap flats', description: 'Call us', address: '1 Main St' },
        requested_transition: null,
      },
    ])
    expect((await app.as.anonymous.get(`/issues/${issue}`)).status).toBe(200)
  })

  it('add an item for a comment but not for its issue, because their flags are counted separately', async () => {
    const people = await createOldAccounts(app, 3)
    const issue = await app.create.issue()
    const comment = await app.create.comment({ on: issue, comment: 'Cheap flats' })

    for (const person of people.slice(1)) await flag(app, person, `/issues/${issue}`)
    for (const person of people) await flag(app, person, `/comments/${comment}`)

    expect(await listItems(app)).toMatchObject([
      { subject_type: 'comment', subject_id: comment, original: { comment: 'Cheap flats' } },
    ])
  })

  it('count only if the account was older than a day at the time of the flag', async () => {
    const old = await createOldAccounts(app, 2)
    const [young, grown] = [await createAccount(app, 0.99), await createAccount(app, 1.01)]
    const issue = await app.create.issue()
    const tomorrow = await appOn(app.db, {}, { clock: () => new Date(Date.now() + 86_400_000) })
    const again = { headers: bearer(young.token), body: { message: 'Again.' } }

    for (const person of [...old, young]) await flag(app, person, `/issues/${issue}`)
    await tomorrow.anonymous.send('POST', `/api/v2/issues/${issue}/flag`, again)
    const before = await listItems(app)
    await flag(app, grown, `/issues/${issue}`)

    expect([before, (await flags()).length]).toEqual([[], 4])
    expect(await listItems(app)).toHaveLength(1)
  })

  it('are needed again, from users who have not flagged yet, after an approval', async () => {
    const people = await createOldAccounts(app, 7)
    const issue = await app.create.issue()
    const flagAll = async (from: number, to: number) => {
      for (const person of people.slice(from, to)) await flag(app, person, `/issues/${issue}`)
      return (await listItems(app)).length
    }

    // The fourth flag arrives before the decision, so the moderator sees it, too.
    const counts = [await flagAll(0, 4)]
    await approve(app)
    counts.push(await flagAll(0, 6), await flagAll(6, 7))

    expect(counts).toEqual([1, 1, 2])
    expect(await listItems(app)).toMatchObject([{ state: 'approved' }, { state: 'held', reasons: ['flagged'] }])
  })
})
