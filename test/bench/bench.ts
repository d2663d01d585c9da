import { availableParallelism, cpus, totalmem } from 'node:os'

import { sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { fill, countFilled, isForeignDatabase } from './fill.ts'
import { refuseForeignDatabases } from './own-databases.ts'
import { type Bench, type Part, parts } from './parts.ts'
import type { City } from './reference.ts'
import { type Goal, goalText } from './report.ts'
import { findUnused, readIndexScans } from './unused-indexes.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* `npm run bench`; docs/PERFORMANCE.md describes its parts and variables. It changes no database that it did not fill or create. */
const CONNECTIONS = 16
const say = (line: string) => process.stdout.write(`${line}\n`)

function readSettings() {
  const { DATABASE_URL, BENCH_REDIS_URL, BENCH_ISSUES = '1000000', BENCH_SECONDS = '5', BENCH_FOLLOWERS = '10000' } = process.env
  const wrong = [
    DATABASE_URL ? '' : 'DATABASE_URL must name a throw-away PostgreSQL database: the benchmark fills it with invented issues',
    /^[1-9]\d{3,8}$/.test(BENCH_ISSUES) ? '' : 'BENCH_ISSUES must be a number from 1000',
    /^[1-9]\d?$/.test(BENCH_SECONDS) ? '' : 'BENCH_SECONDS must be a number from 1 to 99: the duration of each measurement',
    /^[1-9]\d{0,5}$/.test(BENCH_FOLLOWERS) ? '' : 'BENCH_FOLLOWERS must be a number from 1 to 999999',
  ].filter((text) => text !== '')
  if (wrong.length > 0 || !DATABASE_URL) throw new Error(wrong.join('\n'))
  const numbers = { issues: Number(BENCH_ISSUES), seconds: Number(BENCH_SECONDS), followers: Number(BENCH_FOLLOWERS) }
  return { databaseUrl: DATABASE_URL, redisUrl: BENCH_REDIS_URL, ...numbers }
}

async function prepare(db: PostgresDatabase, issues: number): Promise<void> {
  if (await isForeignDatabase(db))
    throw new Error('The database contains data that is not from the benchmark. Set DATABASE_URL to an empty throw-away database.')
  await migrate(db)
  const present = await countFilled(db)
  if (present === 0) {
    say(`Filling the database with ${issues.toLocaleString('en')} issues (some minutes for a million) …`)
    await fill(db, { issues })
  } else if (present !== issues) {
    throw new Error(
      `The database contains ${present} issues of an earlier run, not ${issues}. Set BENCH_ISSUES=${present}, or use another database.`,
    )
  }
}

/** Samples cities and issues for the requests evenly; they are the same in each run. */
async function sampleRows(db: PostgresDatabase): Promise<Pick<Bench, 'cities' | 'issueIds'>> {
  const cities = await queryRows<City>(
    db,
    sql`
    SELECT p.id, p.center_lng AS lng, p.center_lat AS lat FROM places p WHERE p.id % 5 = 1 ORDER BY p.id`,
  )
  const issues = await queryRows<{ id: number }>(
    db,
    sql`
    SELECT i.id FROM issues i WHERE i.id % (SELECT max(c.id) / 500 FROM issues c) = 1 ORDER BY i.id LIMIT 500`,
  )
  return { cities, issueIds: issues.map(({ id }) => id) }
}

function selectParts(names: readonly string[]): readonly Part[] {
  const unknown = names.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length > 0)
    throw new Error(`Unknown parts: ${unknown.join(', ')}. The parts are ${parts.map(({ name }) => name).join(', ')}.`)
  return parts.filter(({ name }) => names.length === 0 || names.includes(name))
}

async function run(): Promise<boolean> {
  const chosen = selectParts(process.argv.slice(2))
  const { databaseUrl, issues, ...rest } = readSettings()
  const db = openPostgres({ url: databaseUrl })
  const goals: Goal[] = []
  try {
    const made = chosen.flatMap(({ databases }) => databases?.(databaseUrl) ?? [])
    await refuseForeignDatabases(db, made)
    if (made.length > 0) say(`The benchmark creates these databases and drops them afterwards: ${made.join(', ')}.`)
    await prepare(db, issues)
    const [row] = await queryRows<{ text: string }>(db, sql`SELECT version() || ', PostGIS ' || postgis_lib_version() AS text`)
    const version = row?.text ?? ''
    say(
      `${issues.toLocaleString('en')} issues; ${version}; Node ${process.version}; ${availableParallelism()} cores of ${cpus()[0]?.model ?? '?'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    )
    const bench = { ...rest, ...(await sampleRows(db)), db, databaseUrl, issues, version, connections: CONNECTIONS, say }
    const scansBefore = await readIndexScans(db)
    for (const part of chosen) goals.push(...(await part.measure(bench)))
    const unused = findUnused(scansBefore, await readIndexScans(db))
    if (unused.length > 0) say(`\nIndexes of issues that no statement of these parts used: ${unused.join(', ')}`)
  } finally {
    await db.close()
  }
  say(`\n${goals.map(goalText).join('\n')}`)
  return goals.every(({ reached }) => reached)
}

try {
  process.exitCode = (await run()) ? 0 : 1
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
