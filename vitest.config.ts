import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The tests that run on the embedded engine, since it may behave differently: SQL of areas, lists and search, imports, the data folder, the
 * queue without Redis, the first start, the commands of the documents, and every operation as every persona. All other tests run on servers. A run
 * that names files runs these on the available engine.
 */
const onEmbedded = [
  'test/*.test.ts',
  ...['environment', 'geo', 'jobs', 'search', 'startup'].map(folder),
  'test/accounts/emails/changes.test.ts',
  'test/cli/{import,verify}.test.ts',
  'test/content-policy/*.test.ts',
  'test/contract/{architecture,openapi-responses,openapi-document}.test.ts',
  'test/contract/personas/personas.test.ts',
  'test/database/{conflicts,damaged-folder,enums,folder-lock,row-values,schema,statement-timeout,transaction-context,triggers,typed-rows}.test.ts',
  'test/docs/{backup,check-words,count-data-access,documents-name-files,links,readme,readme-example}.test.ts',
  'test/exports/{access,formats,places,round-trip}.test.ts',
  'test/feeds/{areas,shared-behaviour}.test.ts',
  'test/gis/*.property.test.ts',
  'test/http/errors/problems.test.ts',
  'test/http/idempotency/{idempotency,keys}.test.ts',
  'test/imports/{duplicate-ids,interrupted-import,issues,organizations,places}.test.ts',
  'test/issues/{areas,details,filters,geocoder,list-freshness,pages,personas,!(cursors).property}.test.ts',
  'test/moderation/decide-on-reports.test.ts',
  'test/ogc/{collections,expensive-requests,features,filters,filters.property,offset}.test.ts',
  'test/places/*.property.test.ts',
  'test/questions/popularity.property.test.ts',
  'test/reporting/{image-report,report}.test.ts',
  'test/seed/first-start.test.ts',
  'test/staff/targets.test.ts',
  'test/shared-data/atlanta-{import,list}.test.ts',
  'test/statistics/*.test.ts',
  'test/tiles/{tiles,sums.property}.test.ts',
  'test/watch-areas/forecast*.test.ts',
]
/** The tests of the operations run every statement of the personas on servers. The others use no database. */
const onlyEmbedded = filesOf([
  'test/database/statement-timeout.test.ts',
  'test/ogc/expensive-requests.test.ts',
  'test/contract/personas/personas.test.ts',
  'test/contract/architecture.test.ts',
  'test/{config,dockerfile,node-runtime,third-party}.test.ts',
  'test/docs/{check-words,count-data-access,documents-name-files,links,readme-example}.test.ts',
  'test/environment/secret-files.test.ts',
  'test/startup/check-port.test.ts',
])
const namesFiles = process.argv.slice(2).some((argument) => argument.startsWith('test/') || argument.endsWith('.test.ts'))
const runsAll = namesFiles || Boolean(process.env['TEST_DATABASE_URL']?.trim())

/** Files that set the clock of the process or keep it busy. */
const apart = [
  'test/kill/*.test.ts',
  'test/http/overload.test.ts',
  'test/http/rate-limit/rate-limit.test.ts',
  'test/http/rate-limit/rate-limit-store.test.ts',
]

/** A slow file that starts last would leave the other worker without work. */
const slow = new Set(
  filesOf([
    'test/cli/{backup,import,migrate,user,verify}.test.ts',
    'test/contract/personas/*.test.ts',
    'test/database/{damaged-folder,folder-lock}.test.ts',
    'test/deployment.test.ts',
    'test/docs/{backup,clients-community,clients-report,readme}.test.ts',
    'test/http/{overload,rate-limit/client-limits,request/start-and-stop}.test.ts',
    'test/imports/interrupted-import.test.ts',
    'test/issues/changes/kills.test.ts',
    'test/jobs/{erasure-leaks,worker-process}.test.ts',
    'test/kill/*.test.ts',
    'test/ogc/gdal-pages.test.ts',
    'test/seed/first-start.test.ts',
  ]).map((file) => resolve(file)),
)

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker is shared only by files of one project that follow each other.
    return sorted.toSorted(
      (a, b) => a.project.name.localeCompare(b.project.name) || Number(slow.has(b.moduleId)) - Number(slow.has(a.moduleId)),
    )
  }
}

const all = filesOf(['test/**/*.test.ts']).filter(
  (file) => namesFiles || !(onlyEmbedded.includes(file) || file.startsWith('test/operations/')),
)
const wanted = runsAll ? all : filesOf(onEmbedded)
const ownProcess = new Set(filesOf(apart))
const include = { apart: wanted.filter((file) => ownProcess.has(file)), together: wanted.filter((file) => !ownProcess.has(file)) }

// Hundreds of processes load the same files and share the compiled code.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compiled')

export default defineConfig({
  test: {
    // Node loads the files and strips their types, as in production.
    experimental: { viteModuleRunner: false },
    globalSetup: 'test/global-setup.ts',
    sequence: { sequencer: SlowFilesFirst },
    // A process ends with its memory (1 GB for an embedded database), settings and ports.
    pool: 'forks',
    // Tests wait at times. A third file uses the cores meanwhile.
    maxWorkers: 3,
    // Timeouts stop only tests that hang: three files share two cores, and a busy machine is four times as slow.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        test: { name: 'apart', include: include.apart, provide: { reusesDatabase: false } },
      },
      {
        // One process runs many files: modules are loaded once, and the embedded database starts once.
        test: {
          name: 'together',
          include: include.together,
          isolate: false,
          provide: { reusesDatabase: true },
        },
      },
    ],
  },
})

function folder(name: string): string {
  return `test/${name}/**/*.test.ts`
}

/** @throws Error if a pattern matches no file, since a moved file would silently not run */
function filesOf(patterns: readonly string[]): string[] {
  const files = patterns.flatMap((pattern) => {
    const matching = globSync(pattern)
    if (matching.length === 0) throw new Error(`vitest.config.ts names ${pattern}, which is no test file`)
    return matching
  })
  return [...new Set(files)]
}
