import { describe, expect, it } from 'vitest'

import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

/* Members of every role in the own organisation and in another one call every operation of staff. The table of roles is that of docs/staff.md.
 * What moderators of the own and of another organisation decide on is in test/moderation/organizations.test.ts. */

const app = useApp()

const rolesByCapability = {
  read_issues: ['employee', 'moderator', 'manager', 'owner'],
  work_on_issues: ['employee', 'manager', 'owner'],
  manage_content: ['manager', 'owner'],
  manage_members: ['manager', 'owner'],
  manage_organization: ['owner'],
  report_for_caller: ['employee', 'manager', 'owner'],
} as const
type Capability = keyof typeof rolesByCapability
const roles = rolesByCapability.read_issues

interface World {
  readonly roads: number
  readonly type: number
  readonly issue: number
  readonly note: number
  readonly member: number
  readonly invitation: number
  readonly offer: number
}

type Call = readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown]
type Operation = readonly [operationId: string, needs: Capability, call: (world: World) => Call]

const HOURS = { monday: ['08:00-12:00'] }
const at = (path: string, body?: unknown, method: Call[0] = 'PUT'): ((world: World) => Call) => {
  return (world) => [method, path.replaceAll(/:(\w+)/g, (_, name: keyof World) => String(world[name])), body]
}
const get = (path: string) => at(path, undefined, 'GET')
const post = (path: string, body: unknown = {}) => at(path, body, 'POST')
const remove = (path: string) => at(path, undefined, 'DELETE')

/** With this id, a caller with the capability gets an error about the field. */
const UNKNOWN = 2_000_000_000

const operations: readonly Operation[] = [
  ['listWork', 'read_issues', get('/organizations/:roads/issues')],
  ['getStaffIssue', 'read_issues', get('/issues/:issue/work')],
  ['addNote', 'read_issues', post('/issues/:issue/notes', { text: 'Called.' })],
  ['getNote', 'read_issues', get('/issues/:issue/notes/:note')],
  ['listTransfers', 'read_issues', get('/organizations/:roads/transfers')],
  ['listMembers', 'read_issues', get('/organizations/:roads/members')],
  ['listCalendars', 'read_issues', get('/organizations/:roads/calendars')],
  ['listTargets', 'read_issues', get('/organizations/:roads/targets')],
  ['listTemplates', 'read_issues', get('/organizations/:roads/templates')],
  ['listViews', 'read_issues', get('/organizations/:roads/views')],
  ['createView', 'read_issues', post('/organizations/:roads/views', { name: 'Late', query: 'late=close' })],
  ['setDailyMail', 'read_issues', at('/organizations/:roads/daily_mail', { daily_mail: false })],
  ['setPriority', 'work_on_issues', at('/issues/:issue/priority', { priority: 3 })],
  ['changeType', 'work_on_issues', at('/issues/:issue/type', { request_type_id: null })],
  ['changeIssueTarget', 'work_on_issues', at('/issues/:issue/target', { close_by: '2030-01-01T00:00:00Z', reason: 'Agreed.' })],
  ['assignIssue', 'work_on_issues', at('/issues/:issue/assignee', { assignee_id: null })],
  ['previewAnswer', 'work_on_issues', post('/issues/:issue/preview', { comment: 'We come on Monday.' })],
  ['offerTransfer', 'work_on_issues', post('/issues/:issue/transfer', { organization_id: UNKNOWN, reason: 'Not ours.' })],
  ['withdrawTransfer', 'work_on_issues', post('/transfers/:offer/withdraw')],
  ['mergeIssue', 'work_on_issues', post('/issues/:issue/merge', { duplicate_of: UNKNOWN })],
  ['unmergeIssue', 'work_on_issues', post('/issues/:issue/unmerge')],
  [
    'previewBulkRun',
    'work_on_issues',
    ({ roads }) => ['POST', '/bulk', { query: { organization_id: roads }, change: { priority: 2 } }],
  ],
  [
    'createIssue',
    'report_for_caller',
    ({ type }) => [
      'POST',
      '/issues',
      { ...GREEN, address: 'Elm Street', request_type_id: type, answers: { summary: 'Hole' }, on_behalf: { channel: 'phone' } },
    ],
  ],
  ['listStaffRequestTypes', 'manage_content', get('/organizations/:roads/request_types')],
  ['createRequestType', 'manage_content', post('/organizations/:roads/request_types', {})],
  ['changeRequestType', 'manage_content', at('/organizations/:roads/request_types/:type', { position: 3 })],
  [
    'createCalendar',
    'manage_content',
    post('/organizations/:roads/calendars', { name: 'Hall', time_zone: 'UTC', weekly_hours: HOURS }),
  ],
  ['createTarget', 'manage_content', post('/organizations/:roads/targets', { close_hours: 8 })],
  ['createTemplate', 'manage_content', post('/organizations/:roads/templates', { title: 'Done', texts: { en: 'Done.' } })],
  ['changeRole', 'manage_members', at('/organizations/:roads/members/:member', { role: 'moderator' })],
  ['inviteMember', 'manage_members', post('/organizations/:roads/invitations', { email: 'new@example.org', role: 'employee' })],
  ['withdrawInvitation', 'manage_members', remove('/organizations/:roads/invitations/:invitation')],
  ['removeMember', 'manage_members', remove('/organizations/:roads/members/:member')],
  ['updateOrganization', 'manage_organization', at('/organizations/:roads', { shows_targets: true })],
  ['editNote', 'read_issues', at('/issues/:issue/notes/:note', { text: 'Called twice.' })],
  ['deleteNote', 'read_issues', remove('/issues/:issue/notes/:note')],
  ['getStaffRequestType', 'manage_content', get('/organizations/:roads/request_types/:type')],
  ...one('View', 'views', 'read_issues'),
  ...one('Calendar', 'calendars', 'manage_content'),
  ...one('Target', 'targets', 'manage_content'),
  ...one('Template', 'templates', 'manage_content'),
]

/** The operations of one row, which does not exist: a caller with the capability gets 404. */
function one(name: string, path: string, needs: Capability): Operation[] {
  const row = `/organizations/:roads/${path}/${UNKNOWN}`
  return [
    [`get${name}`, 'read_issues', get(row)],
    [`update${name}`, needs, at(row, {})],
    [`delete${name}`, needs, remove(row)],
  ]
}

/** Operations for all callers, of the caller’s own runs and invitations, and of offers to the organisation, which have rows of their own. */
const others = [
  ...['acceptInvitation', 'acceptTransfer', 'declineInvitation', 'getBulkRun', 'getCapabilities', 'getOrganization'],
  ...['getOrganizationStatistics', 'listInvitations', 'listOrganizations', 'refuseTransfer', 'startBulkRun', 'undoBulkRun'],
]

async function createWorld(): Promise<World> {
  const { create, db } = app
  const [roads, parks] = [await create.organization({ name: 'Roads' }), await create.organization({ name: 'Parks' })]
  const type = await create.requestType({ organization: roads })
  const issue = await create.issue({ request_type: type })
  const author = await create.user({ memberOf: [{ organization: roads }] })
  const note = await db.prisma.issueNote.create({ data: { issue_id: issue, author_id: author.id, text: 'Called.' } })
  const offer = await db.prisma.issueTransfer.create({ data: { issue_id: issue, from_id: roads, to_id: parks } })
  const email = 'invited@example.org'
  return {
    ...{ roads, type, issue, note: note.id, offer: offer.id, member: author.id },
    invitation: (await db.prisma.pendingMembership.create({ data: { organization_id: roads, email } })).id,
  }
}

describe('the operations of staff', () => {
  it.each(operations)('%s needs %s in the organisation of the rows', async (_, needs, call) => {
    const world = await createWorld()
    const elsewhere = await app.create.organization({ name: 'Elsewhere', around: { lng: 10, lat: 10 } })
    const send = async (organization: number, role: (typeof roles)[number]) => {
      const user = await app.create.user({ memberOf: [{ organization, role }] })
      const [method, path, body] = call(world)
      const headers = method === 'PUT' || path.startsWith('/issues/') || path.startsWith('/transfers/') ? { 'if-match': '*' } : {}
      const answer = await app.as.user(user).send(method, `/api/v2${path}`, { ...(body === undefined ? {} : { body }), headers })
      return { role, status: answer.status, text: JSON.stringify(answer.body) }
    }
    const sendAll = async (organization: number) => {
      const answers: Awaited<ReturnType<typeof send>>[] = []
      for (const role of roles) answers.push(await send(organization, role))
      return answers
    }

    const strangers = await sendAll(elsewhere)
    const own = await sendAll(world.roads)

    const refused = own.filter(({ status }) => status === 403)
    expect(strangers.filter(({ status }) => status !== 403 && status !== 404)).toEqual([])
    expect(roles.filter((role) => !refused.some((one) => one.role === role))).toEqual(rolesByCapability[needs])
    expect(own.filter(({ status }) => status === 401 || status >= 500)).toEqual([])
    expect(refused.filter(({ text }) => !text.includes(needs))).toEqual([])
  })

  it('are all in this table, but those that have other conditions', () => {
    interface Documented {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly tags: string[] }>>>>
    }
    const { paths } = app.fastify.swagger() as unknown as Documented
    const staff = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ tags }) => tags.includes('Staff') || tags.includes('Organisations'))

    const missing = staff.map(({ operationId }) => operationId).filter((id) => !operations.some(([known]) => known === id))
    expect(missing.toSorted()).toEqual(others)
  })
})
