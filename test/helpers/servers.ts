/** Without these variables the suite runs on the embedded database and without Redis. */
const readVariable = (name: string): string | undefined => process.env[name]?.trim() || undefined

/** The suite creates and drops databases named `fixpoint_test_…` on this server and does not change the named database. */
export const testDatabaseUrl = readVariable('TEST_DATABASE_URL')

/** The suite empties the databases after the named one (after 0 by default), one for each concurrent test file. */
export const testRedisUrl = readVariable('TEST_REDIS_URL')

/** Address of a PgBouncer in front of this server, in transaction mode (docs/scaling.md). */
export const testPooler = readVariable('TEST_DATABASE_POOLER')

export const engine: 'embedded' | 'server' = testDatabaseUrl === undefined ? 'embedded' : 'server'

/** Tests that open connections to the address of another database need a server without a pooler. */
export const isDirectServer = engine === 'server' && testPooler === undefined
