import { beforeEach, describe, expect, it } from 'vitest'

import { memberRoles } from '../../src/http/identity/roles.ts'
import type { InvitationList, MemberList } from '../../src/organizations/schema.ts'
import type { Static } from 'typebox'
import type { TestUser } from '../helpers/factories.ts'
import { createInbox } from '../notifications/mail-worker.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let roads = 0
let people: Record<(typeof memberRoles)[number] | 'resident', TestUser>

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  const [employee, moderator, manager, owner] = await Promise.all(
    memberRoles.map((role) => app.create.user({ name: role, memberOf: [{ organization: roads, role }] })),
  )
  people = { employee, moderator, manager, owner, resident: await app.create.user({ name: 'resident' }) } as typeof people
})

const send = (user: TestUser, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object, version = '*') =>
  app.as.user(user).send(method, `/api/v2${path}`, {
    ...(body && { body }),
    ...(method === 'PUT' && version && { headers: { 'if-match': version } }),
  })
const invite = (user: TestUser, email: string, role: string) =>
  send(user, 'POST', `/organizations/${roads}/invitations`, { email, role })
const list = async (user = people.owner) =>
  (await app.as.user(user).get(`/organizations/${roads}/members`)).body as Static<typeof MemberList>
const invitationsOf = async (user: TestUser) =>
  ((await app.as.user(user).get('/invitations')).body as Static<typeof InvitationList>).invitations
const emailOf = async ({ id }: TestUser) => (await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: id } })).email
const capabilitiesOf = async (user: TestUser) =>
  ((await app.as.user(user).get(`/organizations/${roads}/capabilities`)).body as { role: string | null }).role

describe('members of an organisation', () => {
  it('are invited by a mail that names the organisation, the role and a link', async () => {
    await invite(people.owner, 'new.clerk@example.org', 'employee')

    const [mail] = await createInbox(() => app.db).receive()

    expect(mail).toMatchObject({ to: 'new.clerk@example.org', subject: 'Invitation to Roads' })
    expect(mail?.text).toContain('Roads invites you to work on its issues at Fixpoint, with the role:\nEmployee.')
    expect(mail?.text).toMatch(/http:\/\/fixpoint\.test\/\S+/)
  })

  it('are listed by name for members, and with invitations for managers and owners', async () => {
    await invite(people.owner, 'new.clerk@example.org', 'employee')

    const lists = await Promise.all(memberRoles.map((role) => list(people[role])))
    const outside = await app.as.user(people.resident).get(`/organizations/${roads}/members`)

    expect(lists[0]?.members.map(({ name, role }) => `${name} ${role}`)).toEqual(
      memberRoles.toSorted().map((role) => `${role} ${role}`),
    )
    expect(lists.map(({ invitations }) => invitations.map(({ email }) => email))).toEqual([
      [],
      [],
      ['new.clerk@example.org'],
      ['new.clerk@example.org'],
    ])
    expect(outside.status).toBe(403)
  })

  it('get roles by owners, and by managers all roles but owner', async () => {
    const change = async (by: TestUser, user: TestUser, role: string) =>
      (await send(by, 'PUT', `/organizations/${roads}/members/${user.id}`, { role })).status

    expect([
      await change(people.manager, people.employee, 'moderator'),
      await change(people.manager, people.employee, 'owner'),
      await change(people.manager, people.owner, 'employee'),
      await change(people.employee, people.moderator, 'employee'),
      await change(people.owner, people.manager, 'owner'),
      await change(people.owner, people.resident, 'employee'),
    ]).toEqual([200, 403, 403, 403, 200, 404])
    expect((await list()).members.map(({ name, role }) => `${name}: ${role}`)).toEqual([
      'employee: moderator',
      'manager: owner',
      'moderator: moderator',
      'owner: owner',
    ])
  })

  it('get a role only in the version of the list that If-Match names', async () => {
    const read = async () => String((await app.as.user(people.owner).get(`/organizations/${roads}/members`)).headers['etag'])
    const change = (role: string, version: string) =>
      send(people.owner, 'PUT', `/organizations/${roads}/members/${people.employee.id}`, { role }, version)
    const etag = await read()
    await invite(people.owner, 'new.clerk@example.org', 'employee')

    const answers = [
      await change('manager', etag),
      await change('moderator', etag),
      await change('moderator', ''),
      await change('moderator', 'W/"a"'),
      await change('moderator', await read()),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 412, 428, 422, 200])
  })

  it('keep one owner, also when two leave at once', async () => {
    expect(
      await send(people.owner, 'PUT', `/organizations/${roads}/members/${people.owner.id}`, { role: 'manager' }),
    ).toMatchObject({
      status: 422,
      body: { base: 'The organisation needs an owner: make another member owner first.' },
    })
    await send(people.owner, 'PUT', `/organizations/${roads}/members/${people.manager.id}`, { role: 'owner' })

    const leave = [people.owner, people.manager].map((user) => send(user, 'DELETE', `/organizations/${roads}/members/${user.id}`))

    expect((await Promise.all(leave)).map(({ status }) => status).toSorted()).toEqual([204, 422])
  })

  it('leave by themselves, and lose all rights at once', async () => {
    const issue = await app.create.issue({ request_type: await app.create.requestType({ organization: roads }) })

    const left = await send(people.employee, 'DELETE', `/organizations/${roads}/members/${people.employee.id}`)

    expect(left.status).toBe(204)
    expect((await app.as.user(people.employee).get(`/issues/${issue}/work`)).status).toBe(403)
    expect(await app.db.prisma.user.findUniqueOrThrow({ where: { id: people.employee.id } })).toMatchObject({
      role: 'RegisteredUser',
    })
  })
})

describe('invitations', () => {
  it('become memberships when the owner of the confirmed address accepts', async () => {
    const email = await emailOf(people.resident)
    await app.db.prisma.emailAddress.updateMany({ where: { email }, data: { confirmed_at: new Date() } })
    const answer = await invite(people.manager, email.toUpperCase(), 'employee')
    const [invitation] = await invitationsOf(people.resident)

    const byOther = await send(people.employee, 'POST', `/invitations/${invitation?.id}/accept`)
    const accepted = await send(people.resident, 'POST', `/invitations/${invitation?.id}/accept`)

    expect(answer.status).toBe(201)
    expect(invitation).toMatchObject({ organization: 'Roads', role: 'employee' })
    expect([byOther.status, accepted.status, accepted.body]).toEqual([404, 201, { invitations: [] }])
    expect(await capabilitiesOf(people.resident)).toBe('employee')
  })

  it('are not shown to an account that has not confirmed the address', async () => {
    const claimed = await app.db.prisma.emailAddress.create({ data: { user_id: people.resident.id, email: 'chief@example.org' } })
    await invite(people.owner, 'chief@example.org', 'owner')
    const { invitations } = await list()

    expect(await invitationsOf(people.resident)).toEqual([])
    expect((await send(people.resident, 'POST', `/invitations/${invitations[0]?.id}/accept`)).status).toBe(404)
    expect(claimed.confirmed_at).toBeNull()
  })

  it('answer the same for an address with and without an account', async () => {
    const [known, unknown] = [await emailOf(people.resident), 'unknown@example.org']
    await app.db.prisma.emailAddress.updateMany({ where: { email: known }, data: { confirmed_at: new Date() } })

    const answers = [await invite(people.owner, known, 'employee'), await invite(people.owner, unknown, 'employee')]

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect((await list()).invitations.map(({ email }) => email)).toEqual([known, unknown])
  })

  it('change the role when the address is invited again, and end when they are withdrawn or declined', async () => {
    const email = await emailOf(people.resident)
    await app.db.prisma.emailAddress.updateMany({ where: { email }, data: { confirmed_at: new Date() } })
    await invite(people.owner, email, 'employee')
    await invite(people.owner, email, 'manager')
    const [first] = await invitationsOf(people.resident)
    const declined = await send(people.resident, 'DELETE', `/invitations/${first?.id}`)
    await invite(people.owner, email, 'owner')
    const [second] = await invitationsOf(people.resident)

    const byManager = await send(people.manager, 'DELETE', `/organizations/${roads}/invitations/${second?.id}`)
    const byOwner = await send(people.owner, 'DELETE', `/organizations/${roads}/invitations/${second?.id}`)

    expect([first?.role, declined.status, byManager.status, byOwner.status]).toEqual(['manager', 204, 403, 204])
    expect(await invitationsOf(people.resident)).toEqual([])
  })

  it.each([
    [{ email: 'x', role: 'employee' }, 'email'],
    [{ email: 'a@example.org', role: 'chief' }, 'role'],
    [{ role: 'employee' }, 'email'],
  ])('return 422 for %j', async (body, field) => {
    const answer = await send(people.owner, 'POST', `/organizations/${roads}/invitations`, body)

    expect([answer.status, Object.keys(answer.body as object)]).toEqual([422, [field]])
  })

  it('are mailed with the name of the organisation and of no person', async () => {
    await invite(people.owner, 'new.clerk@example.org', 'employee')

    const mail = await app.db.prisma.mail.findFirstOrThrow({ where: { kind: 'invitation' }, include: { event: true } })

    expect(mail).toMatchObject({
      email: 'new.clerk@example.org',
      event: { type: 'organization.member_invited', subject_id: roads },
    })
  })
})
