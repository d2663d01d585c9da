import { testDatabaseUrl } from './servers.ts'

/** True in `npm run test:long`: random seeds, more runs of each property, query plans and standbys. */
export const isLong = process.env['TEST_LONG'] === 'on'

/** With a fixed seed all runs are the same, so a failure comes from the present change. */
const SEED = 20_261_123

/**
 * @param few runs of a property on servers, enough for each kind of input; `npm run test:long` has twenty times as many. The embedded engine, which is
 * slower, has half as many: it runs the same queries.
 */
export const runs = (few: number) =>
  isLong ? { numRuns: few * 20 } : { numRuns: testDatabaseUrl === undefined ? Math.ceil(few / 2) : few, seed: SEED }
