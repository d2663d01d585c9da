import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { areaDatabases, measureAreas } from './parts/area-parts.ts'
import { bulkDatabases, measureBulk } from './parts/bulk-speed.ts'
import { commentDatabases, measureComments } from './parts/comment-speed.ts'
import { credentialDatabases, measureCredentials } from './parts/credentials.ts'
import { measureDeepPages } from './parts/deep-pages.ts'
import { fanOutDatabases, measureFanOut } from './parts/fan-out.ts'
import { measureExports } from './parts/exports.ts'
import { measureFeatures } from './parts/features.ts'
import { measureFilters } from './parts/filters.ts'
import { rollUpDatabases, measureRollUp } from './parts/roll-up-speed.ts'
import { growthDatabases, measureGrowth } from './parts/growth.ts'
import { importDatabases, measureImport } from './parts/import-speed.ts'
import { measureOpen311 } from './parts/open311.ts'
import { explainHotQueries, savePlans } from './parts/plans.ts'
import { changesDatabases, measureChanges } from './parts/changes.ts'
import { measureLive } from './parts/live.ts'
import { measureMap } from './parts/map-speed.ts'
import { measurePageSpeed } from './parts/page-speed.ts'
import { measureOverload, measureProcesses } from './parts/processes.ts'
import { type City, largestCity } from './reference.ts'
import type { Goal } from './report.ts'
import { measureReports, reportDatabases } from './parts/report-speed.ts'
import { measureRows } from './parts/row-speed.ts'
import { measureStatistics } from './parts/statistics-speed.ts'
import { measureTiles } from './parts/tiles.ts'
import { measureTracing } from './parts/tracing.ts'
import { measureTotals } from './parts/totals.ts'
import { measureWatchers, watcherDatabases } from './parts/watcher-match.ts'
import { measureWorklist, worklistDatabases } from './parts/worklist-speed.ts'
import { measureWriters, writerDatabases } from './parts/writers.ts'

export interface Bench {
  readonly db: PostgresDatabase
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly issues: number
  readonly seconds: number
  readonly followers: number
  readonly connections: number
  /** Sampled cities, the same in each run; the first one is the largest. */
  readonly cities: readonly City[]
  readonly issueIds: readonly number[]
  readonly version: string
  say(line: string): void
}

/** A part that `npm run bench -- NAME` measures alone. */
export interface Part {
  readonly name: string
  readonly measure: (bench: Bench) => Promise<readonly Goal[]>
  /** Databases that the part creates and drops. */
  readonly databases?: (databaseUrl: string) => string[]
}

const one = async (goal: Promise<Goal>) => [await goal]

export const parts: readonly Part[] = [
  { name: 'plans', measure: plans },
  { name: 'rows', measure: measureRows },
  { name: 'totals', measure: measureTotals },
  { name: 'filters', measure: measureFilters },
  { name: 'statistics', measure: measureStatistics },
  { name: 'worklist', measure: measureWorklist, databases: worklistDatabases },
  { name: 'bulk', measure: measureBulk, databases: bulkDatabases },
  { name: 'features', measure: measureFeatures },
  { name: 'open311', measure: measureOpen311 },
  { name: 'exports', measure: measureExports },
  { name: 'tiles', measure: measureTiles },
  { name: 'map', measure: measureMap },
  { name: 'page-speed', measure: measurePageSpeed },
  { name: 'pages', measure: ({ db, cities, say }) => measureDeepPages(db, cities, say) },
  { name: 'tracing', measure: measureTracing },
  { name: 'live', measure: measureLive },
  { name: 'changes', measure: measureChanges, databases: changesDatabases },
  { name: 'growth', measure: measureGrowth, databases: growthDatabases },
  { name: 'overload', measure: measureOverload },
  { name: 'processes', measure: measureProcesses },
  { name: 'writers', measure: measureWriters, databases: writerDatabases },
  { name: 'roll-up', measure: measureRollUp, databases: rollUpDatabases },
  {
    name: 'credentials',
    measure: ({ db, databaseUrl, say }) => measureCredentials(db, databaseUrl, say),
    databases: credentialDatabases,
  },
  {
    name: 'reports',
    measure: ({ db, databaseUrl, say, ...setting }) => measureReports(db, databaseUrl, setting, say),
    databases: reportDatabases,
  },
  {
    name: 'comments',
    measure: ({ db, databaseUrl, say, ...setting }) => one(measureComments(db, databaseUrl, setting, say)),
    databases: commentDatabases,
  },
  {
    name: 'fan-out',
    measure: ({ db, databaseUrl, say, ...setting }) => measureFanOut(db, databaseUrl, setting, say),
    databases: fanOutDatabases,
  },
  {
    name: 'watchers',
    measure: ({ db, databaseUrl, say }) => measureWatchers(db, databaseUrl, say),
    databases: watcherDatabases,
  },
  {
    name: 'areas',
    measure: ({ db, databaseUrl, say }) => measureAreas(db, databaseUrl, say),
    databases: areaDatabases,
  },
  {
    name: 'import',
    measure: ({ db, databaseUrl, say }) => one(measureImport(db, databaseUrl, say)),
    databases: importDatabases,
  },
]

async function plans({ db, cities, issues, version }: Bench): Promise<readonly Goal[]> {
  savePlans(await explainHotQueries(db, largestCity(cities)), `${issues} issues, ${version}`)
  return []
}
