/** The servers that the suite runs on, from the environment: none of them means the embedded database and no Redis. */
const readVariable = (name: string): string | undefined => process.env[name]?.trim() || undefined

/** A PostgreSQL where the suite may create and drop databases named `fixpoint_test_…`; the database it names stays as it is. */
export const testDatabaseUrl = readVariable('TEST_DATABASE_URL')

/** A Redis whose first databases after the one named (after 0 by default) the suite may empty, one for each test file that runs. */
export const testRedisUrl = readVariable('TEST_REDIS_URL')

export const engine: 'embedded' | 'server' = testDatabaseUrl === undefined ? 'embedded' : 'server'
