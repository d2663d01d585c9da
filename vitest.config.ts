import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/**
 * What runs without servers: all that may differ on the embedded engine (SQL of areas, lists, feeds, search and matching, migrations,
 * the folder, loading, the queue without Redis, processes), and every operation as every persona. With servers everything runs. A run
 * that names files runs them on whatever engine there is.
 */
const onEmbedded = [
  'test/*.test.ts',
  ...['cli', 'comments', 'content-policy', 'contract', 'database', 'docs', 'environment', 'feeds', 'follows', 'geo'].map(folder),
  ...['http/errors', 'http/identity', 'http/lists', 'http/request', 'http/validation', 'i18n', 'images', 'imports'].map(folder),
  ...['issue-lifecycle', 'issues', 'jobs', 'places', 'reporting', 'request-types', 'search', 'seed', 'shared-data'].map(folder),
  ...['startup', 'votes', 'watch-areas'].map(folder),
  'test/moderation/decide-on-reports.test.ts',
  'test/web/issue*.test.ts',
  'test/web/home.test.ts',
]
const namesFiles = process.argv.slice(2).some((argument) => argument.startsWith('test/') || argument.endsWith('.test.ts'))
const runsAll = namesFiles || Boolean(process.env['TEST_DATABASE_URL']?.trim())

/** Files that are about the process itself, set its clock, keep it busy, or make databases of their own. */
const apart = [
  'test/*.test.ts',
  ...['bench', 'cli', 'database', 'docs', 'environment', 'jobs', 'kill', 'seed', 'startup'].map(folder),
  'test/ops/queues.test.ts',
  'test/contract/arrows.test.ts',
  'test/http/overload.test.ts',
  'test/http/rate-limit/rate-limit.test.ts',
  'test/http/rate-limit/rate-limit-store.test.ts',
  'test/http/request/start-and-stop.test.ts',
]

const wanted = filesOf(runsAll ? ['test/**/*.test.ts'] : onEmbedded)
const ownProcess = new Set(filesOf(apart))
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

function folder(name: string): string {
  return `test/${name}/**/*.test.ts`
}

/** @throws Error where a pattern names no file any more: a file that was moved would silently run nowhere. */
function filesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => {
    const files = globSync(pattern)
    if (files.length === 0) throw new Error(`vitest.config.ts names ${pattern}, which is no test file`)
    return files
  })
}
