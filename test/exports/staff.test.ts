import { beforeEach, describe, expect, it } from 'vitest'

import { GREEN, type TestUser } from '../helpers/factories.ts'
import { setTarget } from '../helpers/set-target.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let roads = 0
let late = 0
let [ella, olga, stranger]: (TestUser | undefined)[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  const [type, other] = [
    await app.create.requestType({ organization: roads }),
    await app.create.requestType({ organization: await app.create.organization({ name: 'Parks' }) }),
  ]
  ella = await app.create.user({ name: 'Ella Employee', memberOf: [{ organization: roads }] })
  olga = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
  stranger = await app.create.user({ memberOf: [{ organization: await app.create.organization(), role: 'owner' }] })
  late = await app.create.issue({ request_type: type, summary: 'Late hole', assignee: ella })
  await app.create.issue({ request_type: type, summary: 'New hole', status: 'Closed' })
  await app.create.issue({ request_type: other, summary: 'Tree', ...GREEN })
  const started_at = new Date(Date.now() - 7_200_000)
  await setTarget(app.db, late, { started_at, close_by: new Date(Date.now() - 3_600_000) })
  await app.db.prisma.issueNote.create({ data: { issue_id: late, text: 'The contractor comes on Monday.' } })
})

const as = (user: TestUser | undefined) => (user ? app.as.user(user) : app.as.anonymous)
const download = (query: string, user?: TestUser, format = 'geojson') =>
  as(user).send('GET', `/exports/issues.${format}?organization_id=${roads}${query}`)
const properties = ({ text }: { readonly text: string }) =>
  (JSON.parse(text) as { features: { properties: Record<string, unknown> }[] }).features.map((feature) => feature.properties)

describe('/exports/issues for the members of an organisation', () => {
  it('has the issues and the columns of their list, and says that it may not be stored', async () => {
    const file = await download('', ella)
    const csv = await download('', ella, 'csv')

    const rows = properties(file)
    expect(rows.map(({ summary }) => summary)).toEqual(['Late hole', 'New hole'])
    expect(rows[0]).toMatchObject({ version: 1, priority: 1, notes_count: 1, due: 'close', paused_at: null, assignee_id: ella?.id })
    expect(rows[0]).not.toHaveProperty('assignee')
    expect(file.headers['cache-control']).toBe('private, no-store')
    expect(csv.text.split('\r\n')[0]).toMatch(
      /,version,priority,notes_count,acknowledge_by,close_by,paused_at,due,due_at,target_reason,lng/,
    )
  })

  it.each([
    'late=close',
    'number={late}',
    'note=contractor',
    'assignee=me',
    'priority=1&search=late',
    "filter=summary='Late hole'",
  ])('takes %s', async (query) => {
    const rows = properties(await download(`&${query.replace('{late}', String(late))}`, ella))

    expect(rows.map(({ summary }) => summary)).toEqual(['Late hole'])
  })

  it('names people with people=true for owners alone', async () => {
    const statuses = [
      await download('&people=true', ella),
      await download('&people=true', stranger),
      await download('&people=true'),
    ]

    expect(properties(await download('&people=true', olga))[0]).toMatchObject({ assignee: 'Ella Employee' })
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 401])
  })

  it('is for all others the public file, without the filters of staff', async () => {
    const [open, elsewhere] = [await download(''), await download('', stranger)]
    const refused = [await download('&late=close'), await download('&late=close', stranger)]
    const several = await as(ella).send('GET', `/exports/issues.csv?organization_id=${roads},${roads + 1}&late=close`)

    expect(properties(open)[0]).not.toHaveProperty('priority')
    expect(elsewhere.text).toBe(open.text)
    expect(refused.map(({ status }) => status)).toEqual([401, 403])
    expect([several.status, Object.keys(several.body as object)]).toEqual([422, ['organization_id']])
  })
})
