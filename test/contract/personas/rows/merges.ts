import type { PersonaRows } from '../persona-rows.ts'
import { anonymous401, api, type Row, UNKNOWN_ID } from '../row.ts'

const ANY_VERSION = { 'if-match': '*' }
const onlyStaff = (status: number) => ({ anonymous: 401, employee: status, admin: status })

/** A new issue of the organisation of `employee`; for `unmergeIssue` it is merged. */
async function createIssue({ app, type }: PersonaRows, operation: 'mergeIssue' | 'unmergeIssue'): Promise<number> {
  const id = await app.create.issue({ request_type: type })
  const data = { issue_id: id, into_id: await app.create.issue(), from_status: 'Open' as const }
  if (operation === 'unmergeIssue') await app.db.prisma.issueMerge.create({ data })
  return id
}

export const mergeRows: readonly Row[] = (['mergeIssue', 'unmergeIssue'] as const).flatMap((operation): Row[] => {
  const step = operation === 'mergeIssue' ? 'merge' : 'unmerge'
  const body = ({ anonymousIssue }: PersonaRows) => (step === 'merge' ? { duplicate_of: anonymousIssue } : undefined)
  const freshBody = async ({ app }: PersonaRows) => (step === 'merge' ? { duplicate_of: await app.create.issue() } : undefined)
  return [
    {
      operation,
      what: 'an issue of the organisation',
      request: async (world) => [
        'POST',
        api(`/issues/${await createIssue(world, operation)}/${step}`),
        await freshBody(world),
        ANY_VERSION,
      ],
      expected: 403,
      exceptFor: onlyStaff(200),
    },
    {
      operation,
      what: 'without a version',
      request: (world) => ['POST', api(`/issues/${world.anonymousIssue}/${step}`), body(world)],
      expected: 428,
      exceptFor: anonymous401,
    },
    {
      operation,
      what: 'of an old version',
      request: async (world) => [
        'POST',
        api(`/issues/${await createIssue(world, operation)}/${step}`),
        body(world),
        { 'if-match': '"99"' },
      ],
      expected: 403,
      exceptFor: onlyStaff(412),
    },
    {
      operation,
      what: 'an unknown issue',
      request: (world) => ['POST', api(`/issues/${UNKNOWN_ID}/${step}`), body(world), ANY_VERSION],
      expected: 404,
      exceptFor: anonymous401,
    },
    {
      operation,
      what: 'into itself, or without a merge',
      request: (world) => ['POST', api(`/issues/${world.anonymousIssue}/${step}`), body(world), ANY_VERSION],
      expected: 403,
      exceptFor: onlyStaff(422),
    },
  ]
})
