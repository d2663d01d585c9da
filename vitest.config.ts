import { defineConfig } from 'vitest/config'

/** Files that are about the process itself, set its clock, keep it busy, or make databases of their own. */
const apart = [
  'test/*.test.ts',
  'test/{bench,cli,database,docs,environment,jobs,kill,seed,startup}/**/*.test.ts',
  'test/ops/queues.test.ts',
  'test/contract/arrows.test.ts',
  'test/http/{overload,rate-limit,rate-limit-store,start-and-stop}.test.ts',
]

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
        test: { name: 'apart', include: apart, provide: { handsOnDatabase: false } },
      },
      {
        // One process for many files, one after the other: modules are loaded once, and the embedded database starts once.
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: apart,
          isolate: false,
          provide: { handsOnDatabase: true },
        },
      },
    ],
  },
})
