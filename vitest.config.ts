import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Node itself loads the files, types stripped, just as it does in production.
    experimental: { viteModuleRunner: false },
    globalSetup: 'test/global-setup.ts',
    // One process for each file: what a file holds (an embedded database takes about 1 GB) is gone when it ends.
    pool: 'forks',
    maxWorkers: 2,
    // The embedded database starts in seconds, not in milliseconds, when two files share two cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
})
