import pg from 'pg'
import type { TestProject } from 'vitest/node'

import { migrate } from '../src/database/migrate.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { registerRun, createDatabase, dropDatabasesOfRun, createRunName } from './helpers/servers/server-databases.ts'
import { testDatabaseUrl } from './helpers/servers.ts'
import { addTestFunctions } from './helpers/test-functions.ts'
import { createEmbeddedTemplate } from './helpers/template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Embedded engine: the file with the dump of a migrated database. Server: the name of the database to copy. */
    template: string
    /** Prefix of the names of this run's databases; empty on the embedded engine. */
    run: string
    /** True if the files of a process share databases (`vitest.config.ts`). */
    reusesDatabase: boolean
  }
}

/** Creates the migrated database that every test file copies. Returns the function that runs after the last test. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (testDatabaseUrl === undefined) {
    project.provide('template', await createEmbeddedTemplate())
    project.provide('run', '')
    return () => Promise.resolve()
  }
  const serverUrl = testDatabaseUrl
  const run = createRunName()
  const session = new pg.Client(serverUrl)
  await session.connect()
  const end = async () => {
    try {
      await dropDatabasesOfRun(serverUrl, run)
    } finally {
      await session.end()
    }
  }
  try {
    await registerRun(session, serverUrl, run)
    project.provide('template', await migratedTemplate(serverUrl, `${run}_template`))
    project.provide('run', run)
  } catch (error) {
    await end()
    throw error
  }
  return end
}

async function migratedTemplate(serverUrl: string, name: string): Promise<string> {
  const database = openPostgres({ url: await createDatabase(serverUrl, name) })
  try {
    await migrate(database)
    await addTestFunctions(database)
  } finally {
    await database.close()
  }
  return name
}
