import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'

import { type Database, type Queryable, type Sql, sql } from '../../../src/database/database.ts'
import { listCandidates } from '../../../src/duplicates/queries.ts'
import { countIssues } from '../../../src/issues/list/overview.ts'
import { findListPage } from '../../../src/issues/list/page.ts'
import { findListVersion } from '../../../src/issues/list/statement.ts'
import { findIssueVersion } from '../../../src/issue-lifecycle/version.ts'
import { findExtendedIssue } from '../../../src/issues/single-issue.ts'
import type { IssueFilter } from '../../../src/issues/list/filter.ts'
import { findPosition } from './deep-pages.ts'
import { boxAround, type City, DEEP_PAGE, HALF_CITY, HALF_COUNTRY, RADIUS_M } from '../reference.ts'
import { queryRows } from '../../helpers/query-rows.ts'

export interface Plan {
  readonly name: string
  readonly text: string
}

const statuses = ['Open', 'Acknowledged', 'Closed'] as const
const newest = { by: 'created_at', direction: 'DESC' } as const

/** Runs every hot query of the service for one city. Returns EXPLAIN (ANALYZE, BUFFERS) of each of its statements. */
export async function explainHotQueries(db: Database, city: City): Promise<Plan[]> {
  const inBox = (half: number): IssueFilter => {
    const [west, south, east, north] = boxAround(city, half)
    return { area: { kind: 'box', box: { west, south, east, north } }, statuses }
  }
  const place: IssueFilter = { area: { kind: 'place', placeId: city.id, centre: city }, statuses }
  const everywhere: IssueFilter = { area: { kind: 'everywhere' }, statuses }
  const search = { id: undefined, terms: [{ word: 'pothole', corrections: [], halves: [] }] }
  const first = { page: 1, perPage: 20 }
  const deep = { page: DEEP_PAGE, perPage: 20 }
  const position = await findPosition(db, inBox(HALF_CITY), newest, deep)
  const [issue] = await queryRows<{ id: number }>(db, sql`SELECT min(i.id) AS id FROM issues i WHERE i.moderation_state = 'passed'`)
  const id = issue?.id ?? 1
  const hot: Record<string, (q: Queryable) => Promise<unknown>> = {
    'city-box': (q) => findListPage(q, { filter: inBox(HALF_CITY), order: newest, pagePosition: first, viewer: null }),
    'city-box-version': (q) => findListVersion(q, inBox(HALF_CITY).area, [1, 2, 3]),
    'city-box-by-rating': (q) =>
      findListPage(q, { filter: inBox(HALF_CITY), order: { by: 'rating', direction: 'DESC' }, pagePosition: first, viewer: null }),
    'city-box-deep': (q) => findListPage(q, { filter: inBox(HALF_CITY), order: newest, pagePosition: deep, viewer: null }),
    'city-box-deep-by-cursor': (q) =>
      findListPage(q, { filter: inBox(HALF_CITY), order: newest, pagePosition: { ...deep, position }, viewer: null }),
    place: (q) => findListPage(q, { filter: place, order: newest, pagePosition: first, viewer: null }),
    circle: (q) => countIssues(q, { area: { kind: 'circle', centre: city, radius_m: RADIUS_M }, statuses }),
    everywhere: (q) => countIssues(q, everywhere),
    nearest: (q) =>
      findListPage(q, {
        filter: inBox(HALF_COUNTRY),
        order: { by: 'distance', direction: 'ASC', origin: city },
        pagePosition: first,
        viewer: null,
      }),
    'country-box': (q) => findListPage(q, { filter: inBox(HALF_COUNTRY), order: newest, pagePosition: first, viewer: null }),
    'search-in-place': (q) => findListPage(q, { filter: { ...place, search }, order: newest, pagePosition: first, viewer: null }),
    'types-in-place': (q) => countIssues(q, { ...place, requestTypes: { ids: [1, 2], includeNull: false } }),
    'years-in-country-box': (q) => countIssues(q, { ...inBox(HALF_COUNTRY), createdFrom: '2022-01-01' }),
    'unassigned-in-city-box': (q) => countIssues(q, { ...inBox(HALF_CITY), assignees: { ids: [], includeNull: true } }),
    'month-everywhere': (q) => countIssues(q, { ...everywhere, createdFrom: '2023-06-01', createdBefore: '2023-07-01' }),
    'type-and-month-everywhere': (q) =>
      countIssues(q, {
        ...everywhere,
        requestTypes: { ids: [1], includeNull: false },
        createdFrom: '2023-06-01',
        createdBefore: '2023-07-01',
      }),
    duplicates: (q) => listCandidates(q, { point: city, requestTypeId: 1, summary: 'Big pothole by the school gate' }),
    'one-issue': (q) => findExtendedIssue(q, id, null),
    'one-issue-version': (q) => findIssueVersion(q, id, null),
  }
  const plans: Plan[] = []
  for (const [name, ask] of Object.entries(hot)) {
    const statements: Sql[] = []
    await ask({
      query: (statement) => {
        statements.push(statement)
        return db.query(statement)
      },
    })
    for (const [n, statement] of statements.entries()) {
      const lines = await queryRows<{ 'QUERY PLAN': string }>(db, sql`EXPLAIN (ANALYZE, BUFFERS) ${statement}`)
      plans.push({
        name: statements.length > 1 ? `${name}-${n + 1}` : name,
        text: lines.map((row) => row['QUERY PLAN']).join('\n'),
      })
    }
  }
  return plans
}

export function savePlans(plans: readonly Plan[], heading: string): void {
  const folder = new URL('../plans/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt') && name !== PLAN_OF_MATCH))
    rmSync(new URL(file, folder))
  for (const { name, text } of plans) writeFileSync(new URL(`${name}.txt`, folder), `${heading}\n\n${text}\n`)
}

export const PLAN_OF_MATCH = 'watcher-match.txt'

/** These tables are large in real installations, so no page may scan one sequentially. */
const largeTables = ['issues', 'issue_cells', 'users', 'comments', 'votes']

/** Returns the names of the indexes of issues in the executed nodes of a plan. */
export function readIndexes({ text }: Plan): string[] {
  const scans = text.split('\n').filter((line) => !line.includes('never executed'))
  return [...new Set(scans.flatMap((line) => /Scan (?:Backward )?(?:using|on) (issues_\w+)/.exec(line)?.[1] ?? []))].toSorted()
}

export function sequentialScans({ text }: Plan): string[] {
  const executed = text.split('\n').filter((line) => !line.includes('(never executed)'))
  return largeTables.filter((table) => executed.some((line) => new RegExp(`Seq Scan on ${table}\\b`).test(line)))
}
