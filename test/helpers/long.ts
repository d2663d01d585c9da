/** True in `npm run test:long`: random seeds, more runs of each property, query plans and standbys. */
export const isLong = process.env['TEST_LONG'] === 'on'

/** A fixed seed gives the same runs each time, so a failure comes from the change at hand. */
const SEED = 20_261_123

/**
 * The parameters of a property for fast-check.
 * @param few runs in `npm test`, enough to meet each kind of input; the long form does twenty times as many
 */
export const runs = (few: number) => (isLong ? { numRuns: few * 20 } : { numRuns: few, seed: SEED })
