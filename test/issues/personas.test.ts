import { describe, expect, it } from 'vitest'

import type { ExtendedIssue } from '../../src/issues/schema.ts'
import type { Client } from '../helpers/client.ts'
import { parseIssueList } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { createDetailedIssue, anonymousUser } from './detailed-issue.ts'

describe('visibility of issue data by role', () => {
  const app = useApp()

  async function createClients() {
    const story = await createDetailedIssue(app)
    const elsewhere = await app.create.organization({ name: 'Parks' })
    const { user } = app.as
    const clients: Record<string, Client> = {
      anonymous: app.as.anonymous,
      resident: user(await app.create.user()),
      reporter: user(story.reporter),
      'employee of another organisation': user(await app.create.user({ memberOf: [{ organization: elsewhere }] })),
      'moderator of another organisation': user(
        await app.create.user({ memberOf: [{ organization: elsewhere, role: 'moderator' }] }),
      ),
      'employee of the organisation': user(story.assignee),
      admin: user(await app.create.user({ role: 'Admin' })),
    }
    return { story, clients }
  }

  async function answers<Value>(clients: Record<string, Client>, id: number, pick: (issue: ExtendedIssue) => Value) {
    const entries = Object.entries(clients).map(async ([name, client]) => {
      const single = (await client.get(`/issues/${id}`)).body as ExtendedIssue
      const { issues } = parseIssueList<ExtendedIssue>(await client.get('/issues?details=true'))
      const listed = issues.find((issue) => issue.id === id)
      expect(listed).toEqual(single)
      return [name, pick(single)] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  it('shows private answers only to the organisation and Admins, for single issues and in lists', async () => {
    const { story, clients } = await createClients()
    const open = ['How deep is it?']
    const all = ['How deep is it?', 'Your phone number?']

    const shown = await answers(clients, story.issue, ({ questions }) => questions.map(({ question }) => question))

    expect(shown).toEqual({
      anonymous: open,
      resident: open,
      reporter: open,
      'employee of another organisation': open,
      'moderator of another organisation': open,
      'employee of the organisation': all,
      admin: all,
    })
  })

  it('shows an anonymous reporter only to the organisation and Admins, for single issues and in lists', async () => {
    const { story, clients } = await createClients()
    await app.db.prisma.issue.update({ where: { id: story.issue }, data: { anonymous: true } })
    const named = story.reporter.id

    const reporters = await answers(clients, story.issue, ({ reporter }) => reporter.id)
    const { reporter } = (await app.as.anonymous.get(`/issues/${story.issue}`)).body as ExtendedIssue

    expect(reporter).toEqual(anonymousUser)
    expect(reporters).toEqual({
      anonymous: 0,
      resident: 0,
      reporter: 0,
      'employee of another organisation': 0,
      'moderator of another organisation': 0,
      'employee of the organisation': named,
      admin: named,
    })
  })

  it('shows an anonymous reporter of a community issue only to Admins', async () => {
    const { clients, story } = await createClients()
    const issue = await app.create.issue({ reporter: story.reporter, anonymous: true })

    const reporters = await answers(clients, issue, ({ reporter }) => reporter.id)

    expect(Object.entries(reporters).filter(([, id]) => id !== 0)).toEqual([['admin', story.reporter.id]])
  })

  it.each([
    ['named', false],
    ['unnamed', true],
  ])('shows the relation of the caller to the issue if the reporter is %s', async (_, anonymous) => {
    const { story, clients } = await createClients()
    await app.db.prisma.issue.update({ where: { id: story.issue }, data: { anonymous } })
    await app.create.follow({ on: story.issue, by: story.reporter })
    clients['voter'] = app.as.user(story.voter)
    const none = { assignee: false, following: false, reporter: false, voted: false }

    const relations = await answers(clients, story.issue, ({ current_user_relationship }) => current_user_relationship)

    expect(relations).toEqual({
      anonymous: none,
      resident: none,
      reporter: { ...none, reporter: true, following: true },
      voter: { ...none, voted: true },
      'employee of another organisation': none,
      'moderator of another organisation': none,
      'employee of the organisation': { ...none, assignee: true },
      admin: none,
    })
  })

  it.each(['held', 'rejected'] as const)(
    'leaves an issue that is %s out of lists and counts, and shows it to its author and moderators by its URL',
    async (state) => {
      const { story, clients } = await createClients()
      const issue = await app.create.issue({ moderation_state: state, reporter: story.reporter })
      const seenBy = async (path: string) => {
        const statuses = Object.entries(clients).map(async ([name, client]) => [name, (await client.get(path)).status] as const)
        return Object.fromEntries(await Promise.all(statuses))
      }
      const readers = {
        anonymous: 404,
        resident: 404,
        reporter: 200,
        'employee of another organisation': 404,
        'moderator of another organisation': 200,
        'employee of the organisation': 404,
        admin: 200,
      }

      expect(await seenBy(`/issues/${issue}`)).toEqual(readers)
      expect(await seenBy(`/issues/${issue}/comments`)).toEqual(readers)
      for (const client of Object.values(clients)) {
        const { issues, pagination } = parseIssueList(await client.get('/issues?status=open,acknowledged,closed,archived'))
        expect([issues.map(({ id }) => id), pagination.entries]).toEqual([[story.issue], 1])
      }
    },
  )

  it('returns the same 404 for a pending issue and a missing one', async () => {
    const pendingId = await app.create.issue({ moderation_state: 'held' })
    const answerTo = async (id: number | string, headers: Record<string, string> = {}) => {
      const { status, headers: sent, body } = await app.as.anonymous.get(`/issues/${id}`, headers)
      const { 'x-request-id': _, date: __, ratelimit: ___, ...same } = sent
      return { status, same, body: { ...(body as object), request_id: '' } }
    }

    expect(await answerTo(pendingId)).toEqual(await answerTo(999_999))
    expect(await answerTo(pendingId, { 'if-none-match': '*' })).toEqual(await answerTo(999_999, { 'if-none-match': '*' }))
    expect((await answerTo(pendingId)).status).toBe(404)
  })

  it.each(['0', '-1', '1.5', '2147483648', '99999999999999999999', 'x', '%00', '1e3'])(
    'returns 404 for an impossible id: %s',
    async (id) => {
      const { status, body } = await app.as.anonymous.get(`/issues/${id}`)

      expect([status, (body as { message: string }).message]).toEqual([404, expect.stringContaining('not found')])
    },
  )
})
