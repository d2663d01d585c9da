import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/**
 * What runs without servers: all that may differ on the embedded engine (SQL of areas, lists, feeds, search and matching, migrations,
 * the folder, loading, the queue without Redis, processes), and every operation as every persona. With servers everything runs. A run
 * that names files runs them on whatever engine there is.
 */
const onEmbedded = [
  'test/*.test.ts',
  'test/{cli,contract,database,docs,environment,feeds,geo,i18n,imports,issues,jobs,places,search,seed,shared-data,startup}/**/*.test.ts',
  'test/http/{errors,identity,lists,request,validation}/**/*.test.ts',
  'test/{content-policy,images,request-types}/**/*.test.ts',
  'test/moderation/decide-on-reports.test.ts',
  'test/reporting/**/*.test.ts',
  'test/watchers/{matching.property,watch-areas,forecast,forecast-coverage}.test.ts',
  'test/web/{issue,list,home}*.test.ts',
  'test/{comments,follows,votes}/*.test.ts',
]
const namesFiles = process.argv.slice(2).some((argument) => argument.startsWith('test/') || argument.endsWith('.test.ts'))
const runsAll = namesFiles || Boolean(process.env['TEST_DATABASE_URL']?.trim())

/** Files that are about the process itself, set its clock, keep it busy, or make databases of their own. */
const apart = [
  'test/*.test.ts',
  'test/{bench,cli,database,docs,environment,jobs,kill,seed,startup}/**/*.test.ts',
  'test/ops/queues.test.ts',
  'test/contract/arrows.test.ts',
  'test/http/overload.test.ts',
  'test/http/rate-limit/{rate-limit,rate-limit-store}.test.ts',
  'test/http/request/start-and-stop.test.ts',
]

const wanted = globSync(runsAll ? 'test/**/*.test.ts' : onEmbedded)
const ownProcess = new Set(globSync(apart))
const include = { apart: wanted.filter((file) => ownProcess.has(file)), together: wanted.filter((file) => !ownProcess.has(file)) }

export default defineConfig({
  test: {
    // Node itself loads the files, types stripped, just as it does in production.
    experimental: { viteModuleRunner: false },
    globalSetup: 'test/global-setup.ts',
    // One process for each file: what it holds (an embedded database takes about 1 GB), sets or listens to is gone when it ends.
    pool: 'forks',
    maxWorkers: 2,
    // For what hangs. Two files share two cores, and a busy machine takes four times as long for a property as a quiet one.
    testTimeout: 150_000,
    hookTimeout: 150_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: include.apart, provide: { handsOnDatabase: false } },
      },
      {
        // One process for many files, one after the other: modules are loaded once, and the embedded database starts once.
        extends: true,
        test: {
          name: 'together',
          include: include.together,
          isolate: false,
          provide: { handsOnDatabase: true },
        },
      },
    ],
  },
})
