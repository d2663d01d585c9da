import type { Database, Queryable } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../../src/database/postgres.ts'
import { findViewer, type Viewer } from '../../../src/http/identity/viewer-queries.ts'
import { listStatuses } from '../../../src/issues/list/query.ts'
import { type ListRequest, parseListQuery } from '../../../src/issues/list/read-list.ts'
import { findListPage } from '../../../src/issues/list/page.ts'
import { listWorkRows, parseWorklist } from '../../../src/staff/worklist/worklist.ts'
import { areaLookup } from '../../../src/startup/open-services.ts'
import { fill } from '../fill.ts'
import { median } from '../median.ts'
import { benchDatabaseName, benchDatabaseUrl, withBenchDatabase } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'

/*
 * Compares lists of an organisation with 100,000 issues among 200,000 (`parseWorklist`, `findListPage`, `listWorkRows`) with what `GET /issues` reads for the
 * same filter and its request types, in alternating turns on one connection. Both callers are the same employee.
 */
const ISSUES = 200_000
const SUFFIX = 'worklist'
const TURNS = 11
const TIMES_MAX = 2
const FIRST = { page: 1, perPage: 20 }
/** After the last report of fill.ts. */
const NOW = new Date('2025-12-06T00:00:00Z')
const ownTypes = ['1', '2', '3', '4']

export const worklistDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

export async function measureWorklist({ db, databaseUrl, say }: Bench): Promise<readonly Goal[]> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (own) => {
    await migrate(own)
    await fill(own, { issues: ISSUES })
    await addStaff(own)
    const one = openPostgres({ url: benchDatabaseUrl(databaseUrl, SUFFIX), pools: { read: 1, write: 1 } })
    try {
      return await compareLists(one, say)
    } finally {
      await one.close()
    }
  })
}

async function addStaff(db: PostgresDatabase): Promise<void> {
  await db.executeScript(staff)
  // Index-only scans need pages without old versions of rows.
  await db.executeScript('VACUUM FULL issues')
  await db.executeScript('VACUUM ANALYZE')
}

/** Four of the eight types belong to the first organisation, three to the second, and one to the community. One issue of 20 has an employee, one of 100 a note. */
const staff = `
INSERT INTO organizations (id, name, area)
SELECT o.id, o.name, p.boundary FROM (VALUES (1, 'Roads'), (2, 'Parks')) o (id, name) JOIN places p ON p.id = o.id;
UPDATE request_types SET organization_id = CASE WHEN id <= 4 THEN 1 WHEN id <= 7 THEN 2 END;
INSERT INTO organization_members (organization_id, user_id, role) VALUES (1, 1, 'owner');
ALTER TABLE issues DISABLE TRIGGER USER;
DELETE FROM issue_targets;
INSERT INTO issue_targets (issue_id, started_at, acknowledge_by, close_by)
SELECT i.id, i.created_at, i.created_at + interval '2 days', i.created_at + interval '14 days' FROM issues i WHERE i.status IN ('Open', 'Acknowledged');
UPDATE issues i SET priority = CASE WHEN i.id % 10 < 7 THEN 1 ELSE i.id % 4 END, assignee_id = CASE WHEN i.id % 20 = 0 THEN 1 + i.id % 3 END,
  outcome = CASE WHEN i.closed_at IS NOT NULL THEN (ARRAY['fixed', 'not_ours', 'passed_on'])[1 + i.id / 100 % 3] END,
  acknowledge_due = t.acknowledge_by, close_due = t.close_by
FROM issues one LEFT JOIN issue_targets t ON t.issue_id = one.id WHERE one.id = i.id;
ALTER TABLE issues ENABLE TRIGGER USER;
INSERT INTO issue_notes (issue_id, author_id, text) SELECT i.id, 1, 'The contractor comes on day ' || i.id FROM issues i WHERE i.id % 100 = 0;`

const open = ['open', 'acknowledged']
const every = [...listStatuses, 'archived']

/** The filters and orders of the page. A filter that only staff have is compared with the list of the same types without it. */
const lists: Readonly<Record<string, readonly [Parameters<typeof parseWorklist>[1], Parameters<typeof parseListQuery>[1]]>> = {
  default: [{}, {}],
  open: [{ status: ['open'] }, { status: ['open'] }],
  'waiting, oldest first': [
    { status: open, sort: 'age' },
    { status: open, sort: 'created_at', sort_direction: 'ASC' },
  ],
  'by votes': [
    { status: open, sort: 'rating' },
    { status: open, sort: 'rating' },
  ],
  'by target': [{ status: open, sort: 'target' }, { status: open }],
  'by priority': [{ status: open, sort: 'priority' }, { status: open }],
  'with archived': [{ status: every }, { status: every }],
  'with archived, by target': [{ status: every, sort: 'target' }, { status: every }],
  'with archived, by priority': [{ status: every, sort: 'priority' }, { status: every }],
  'with archived, urgent': [{ status: every, priority: ['3'] }, { status: every }],
  late: [{ status: open, late: ['acknowledge', 'close'] }, { status: open }],
  soon: [{ status: open, late: ['soon'] }, { status: open }],
  urgent: [{ status: open, priority: ['3'] }, { status: open }],
  mine: [
    { status: open, assignee: 'me' },
    { status: open, assigned_to_me: true },
  ],
  unassigned: [
    { status: open, assignee: 'none' },
    { status: open, assigned: ['unassigned'] },
  ],
  note: [{ note: 'contractor' }, {}],
  outcome: [{ outcome: ['passed_on'] }, {}],
  'waiting since before': [{ waiting_since_before: '2022-01-01' }, { before: '2022-01-01', status: open }],
  search: [
    { status: open, search: 'pothole school' },
    { status: open, search: 'pothole school' },
  ],
  'one type': [{ request_types: ['1'] }, { request_types: ['1'] }],
  'since a year': [{ after: '2025-01-01' }, { after: '2025-01-01' }],
  place: [{ place_url: 'city-1' }, { place_url: 'city-1' }],
  'place, open': [
    { place_url: 'city-1', status: open, sort: 'age' },
    { place_url: 'city-1', status: open, sort: 'created_at', sort_direction: 'ASC' },
  ],
}

async function compareLists(one: Pick<Database, 'reader'>, say: Bench['say']): Promise<readonly Goal[]> {
  const viewer = await findViewer(one.reader, 1)
  if (!viewer) throw new Error('The employee is missing')
  say(
    `\n${'list of 100,000 issues'.padEnd(28)}${['issues', 'staff ms', 'public ms', 'times'].map((cell) => cell.padStart(12)).join('')}`,
  )
  const goals: Goal[] = []
  const areas = areaLookup(one.reader, () => Promise.reject(new Error('no geocoder')))
  for (const [name, [staffQuery, publicQuery]] of Object.entries(lists)) {
    const sources = { reader: one.reader, areas, viewer, organizationId: 1, now: NOW }
    const withDefaults = { status: [...listStatuses] }
    const readStaff = async () =>
      readList(one.reader, await parseWorklist(sources, { ...withDefaults, ...staffQuery }, FIRST), viewer, true)
    const readPublic = async () =>
      readList(
        one.reader,
        await parseListQuery(
          { reader: one.reader, areas },
          { ...withDefaults, request_types: ownTypes, ...publicQuery },
          FIRST,
          viewer,
        ),
        viewer,
        false,
      )
    const taken = { staff: [] as number[], all: [] as number[] }
    let entries = 0
    for (let turn = -1; turn < TURNS; turn++) {
      const began = performance.now()
      entries = await readStaff()
      const between = performance.now()
      await readPublic()
      const ended = performance.now()
      if (turn < 0) continue
      taken.staff.push(between - began)
      taken.all.push(ended - between)
    }
    const [staff, all] = [median(taken.staff), median(taken.all)]
    const times = staff / all
    say(
      `  ${name}`.padEnd(28) +
        [entries.toLocaleString('en'), staff.toFixed(1), all.toFixed(1), times.toFixed(2)]
          .map((cell) => cell.padStart(12))
          .join(''),
    )
    goals.push({ text: `worklist, ${name}: ${times.toFixed(2)} × GET /issues, goal ≤ ${TIMES_MAX}`, reached: times <= TIMES_MAX })
  }
  return goals
}

async function readList(
  reader: Queryable,
  { filter, order, page }: ListRequest,
  viewer: Viewer,
  withWork: boolean,
): Promise<number> {
  const { entries, issues } = await findListPage(reader, { filter, order, pagePosition: page, viewer })
  if (withWork)
    await listWorkRows(
      reader,
      issues.map(({ id }) => id),
    )
  return entries
}
