import { expect } from 'vitest'

import type { StaffIssue } from '../../../../src/staff/schema.ts'
import { nextNumber, type PersonaRows } from '../persona-rows.ts'
import { anonymous401, api, type Row, UNKNOWN_ID } from '../row.ts'

/** The issue belongs to the organisation of `employee`. Admins may do everything. */
const onlyStaff = (status: number) => ({ anonymous: 401, employee: status, admin: status })
const at = (world: PersonaRows, step: string) => api(`/issues/${world.anonymousIssue}/${step}`)
const ANY_VERSION = { 'if-match': '*' }
const TEXT = 'The contractor comes on Monday.'

/** Returns the organisation of `employee`. */
const findRoads = async (app: PersonaRows['app']) =>
  (await app.db.prisma.organization.findFirstOrThrow({ where: { name: 'Roads' } })).id

/** Creates a note of `employee`. */
async function createNote({ app, people, anonymousIssue: issue_id }: PersonaRows): Promise<number> {
  const { id } = await app.db.prisma.issueNote.create({ data: { issue_id, author_id: people.employee.id, text: TEXT } })
  return id
}

export const staffRows: readonly Row[] = [
  {
    operation: 'previewAnswer',
    what: 'of an issue of the organisation',
    request: (world) => ['POST', at(world, 'preview'), { comment: `${TEXT} ${nextNumber()}` }],
    expected: 403,
    exceptFor: onlyStaff(200),
  },
  {
    operation: 'previewAnswer',
    what: 'without a text',
    request: (world) => ['POST', at(world, 'preview'), {}],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'previewAnswer',
    what: 'of an unknown issue',
    request: () => ['POST', api(`/issues/${UNKNOWN_ID}/preview`), { comment: TEXT }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'getOrganization',
    what: 'its settings, only for members who manage them',
    request: async ({ app }) => ['GET', api(`/organizations/${(await app.db.prisma.organization.findFirstOrThrow()).id}`)],
    expected: 200,
    check: ({ body }, persona) => expect((body as { settings: unknown }).settings === null).toBe(persona !== 'admin'),
  },
  {
    operation: 'getOrganization',
    what: 'an unknown one',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}`)],
    expected: 404,
  },
  {
    operation: 'getCapabilities',
    what: 'those of the caller',
    request: async ({ app }) => ['GET', api(`/organizations/${await findRoads(app)}/capabilities`)],
    expected: 200,
    exceptFor: anonymous401,
    check: ({ status, body }, persona) => {
      if (status !== 200) return
      const role = persona === 'employee' ? 'employee' : null
      const counts = { employee: 3, admin: 7 } as Record<string, number>
      expect(body).toMatchObject({ role, capabilities: { length: counts[persona] ?? 0 } })
    },
  },
  {
    operation: 'getCapabilities',
    what: 'an unknown organisation',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/capabilities`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'listWork',
    what: 'the issues of the organisation of the employee',
    request: async ({ app }) => ['GET', api(`/organizations/${await findRoads(app)}/issues?sort=target`)],
    expected: 403,
    exceptFor: onlyStaff(200),
    check: ({ status, body }) => {
      if (status === 200) expect((body as { issues: unknown[] }).issues.length).toBeGreaterThan(0)
    },
  },
  {
    operation: 'listWork',
    what: 'an unknown organisation',
    request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/issues`)],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'listWork',
    what: 'an unknown employee',
    request: async ({ app }) => ['GET', api(`/organizations/${await findRoads(app)}/issues?assignee=all`)],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'getStaffIssue',
    what: 'an issue of the organisation',
    request: (world) => ['GET', at(world, 'work')],
    expected: 403,
    exceptFor: onlyStaff(200),
  },
  {
    operation: 'getStaffIssue',
    what: 'an issue of the community, whose point many organisations cover',
    request: async (world) => ['GET', api(`/issues/${await world.app.create.issue()}/work`)],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 200, elsewhere: 200, moderator: 200, admin: 200 },
  },
  {
    operation: 'getStaffIssue',
    what: 'a report of the community pending review, in the area of the moderator',
    request: ({ pendingIssue }) => ['GET', api(`/issues/${pendingIssue}/work`)],
    expected: 404,
    exceptFor: { anonymous: 401, owner: 403, moderator: 200, admin: 200 },
  },
  ...(['priority', 'type', 'target'] as const).flatMap((step): Row[] => {
    const operation = { priority: 'setPriority', type: 'changeType', target: 'changeIssueTarget' }[step]
    const valid = {
      priority: { priority: 3 },
      type: { request_type_id: null },
      target: { close_by: '2031-07-13T11:17:19Z', reason: TEXT },
    }[step]
    return [
      {
        operation,
        what: 'of an issue of the organisation',
        request: async ({ app, type }) => [
          'PUT',
          api(`/issues/${await app.create.issue({ request_type: type })}/${step}`),
          valid,
          ANY_VERSION,
        ],
        expected: 403,
        exceptFor: onlyStaff(200),
        check: ({ status, body }, persona, { people }) => {
          if (status !== 200 || persona !== 'employee') return
          const { version, log } = body as StaffIssue
          expect([version, log[0]?.kind, log[0]?.actor?.id, log[0]?.organization]).toEqual([2, step, people.employee.id, 'Roads'])
        },
      },
      {
        operation,
        what: 'without a version',
        request: (world) => ['PUT', at(world, step), valid],
        expected: 428,
        exceptFor: anonymous401,
      },
      {
        operation,
        what: 'of an old version',
        request: (world) => ['PUT', at(world, step), valid, { 'if-match': '"99"' }],
        expected: 403,
        exceptFor: onlyStaff(412),
      },
      {
        operation,
        what: 'of an unknown issue',
        request: () => ['PUT', api(`/issues/${UNKNOWN_ID}/${step}`), valid, ANY_VERSION],
        expected: 404,
        exceptFor: anonymous401,
      },
      {
        operation,
        what: 'to an invalid value',
        request: (world) => ['PUT', at(world, step), { priority: 7, request_type_id: 'x', close_by: 'x' }, ANY_VERSION],
        expected: 422,
        exceptFor: anonymous401,
      },
    ]
  }),
  {
    operation: 'addNote',
    what: 'to an issue of the organisation',
    request: (world) => ['POST', at(world, 'notes'), { text: `${TEXT} ${nextNumber()}` }],
    expected: 403,
    exceptFor: onlyStaff(201),
    check: ({ status, body }) => {
      if (status === 201) expect((body as StaffIssue).notes.at(-1)?.text).toContain(TEXT)
    },
  },
  {
    operation: 'addNote',
    what: 'to an unknown issue',
    request: () => ['POST', api(`/issues/${UNKNOWN_ID}/notes`), { text: TEXT }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'addNote',
    what: 'without a text',
    request: (world) => ['POST', at(world, 'notes'), { text: ' ' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'editNote',
    what: 'of an employee, by the author alone',
    request: async (world) => [
      'PUT',
      at(world, `notes/${await createNote(world)}`),
      { text: 'They come on Tuesday.' },
      ANY_VERSION,
    ],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 200, admin: 404 },
  },
  {
    operation: 'editNote',
    what: 'that has changed',
    request: async (world) => ['PUT', at(world, `notes/${await createNote(world)}`), { text: 'x' }, { 'if-match': '"1"' }],
    expected: 403,
    exceptFor: onlyStaff(412),
  },
  {
    operation: 'editNote',
    what: 'without its ETag',
    request: async (world) => ['PUT', at(world, `notes/${await createNote(world)}`), { text: 'x' }],
    expected: 403,
    exceptFor: onlyStaff(428),
  },
  {
    operation: 'getNote',
    what: 'of an employee, by staff',
    request: async (world) => ['GET', at(world, `notes/${await createNote(world)}`)],
    expected: 403,
    exceptFor: onlyStaff(200),
  },
  {
    operation: 'getNote',
    what: 'that is unknown',
    request: (world) => ['GET', at(world, `notes/${UNKNOWN_ID}`)],
    expected: 403,
    exceptFor: onlyStaff(404),
  },
  {
    operation: 'editNote',
    what: 'without a text',
    request: (world) => ['PUT', at(world, 'notes/1'), {}],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'deleteNote',
    what: 'of an employee, by the author alone',
    request: async (world) => ['DELETE', at(world, `notes/${await createNote(world)}`)],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 204, admin: 404 },
  },
  {
    operation: 'deleteNote',
    what: 'that has changed',
    request: async (world) => ['DELETE', at(world, `notes/${await createNote(world)}`), undefined, { 'if-match': '"1"' }],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 412, admin: 412 },
  },
  {
    operation: 'deleteNote',
    what: 'in a version that is no ETag',
    request: async (world) => ['DELETE', at(world, `notes/${await createNote(world)}`), undefined, { 'if-match': 'W/"a"' }],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 422, admin: 422 },
  },
]
