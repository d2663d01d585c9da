import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openEmbedded, type EmbeddedDatabase } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createStatementChecks } from './check-statements.ts'
import { createEmbeddedDescriber } from './describe-statement.ts'
import { addTestFunctions } from './test-functions.ts'

const PREFIX = 'fixpoint-test-template-'
const UNUSED_MAX_MS = 24 * 60 * 60 * 1000

/** Returns a file with the dump of a migrated embedded database. A rename at the end keeps concurrent runs from reading half a dump. */
export async function createEmbeddedTemplate(): Promise<string> {
  const file = join(tmpdir(), `${PREFIX}${await hashMigrations()}.tar`)
  await removeUnused(file)
  if (!existsSync(file)) {
    const unfinished = `${file}.${process.pid}`
    await writeFile(unfinished, await dumpMigratedDatabase())
    await rename(unfinished, file)
  }
  await utimes(file, new Date(), new Date())
  return file
}

/** Opens a copy of that database in memory or in a folder. It reads the whole dump first, because a Blob of a file fails if another run touches the file. */
export async function openTemplateCopy(template: string, folder?: string): Promise<EmbeddedDatabase> {
  const checks = createStatementChecks(async (text) => (await describer)(text))
  const database = await openEmbedded(folder, { template: new Blob([await readFile(template)]), checks })
  const describer = createEmbeddedDescriber(database.pglite)
  await describer
  return database
}

async function dumpMigratedDatabase(): Promise<Buffer> {
  const database = await openEmbedded()
  try {
    await migrate(database)
    await addTestFunctions(database)
    return Buffer.from(await (await database.pglite.dumpDataDir('none')).arrayBuffer())
  } finally {
    await database.close()
  }
}

/** Hashes the migrations, the code that applies them, and the versions of the engine. */
async function hashMigrations(): Promise<string> {
  const root = new URL('../../', import.meta.url)
  const migrations = new URL('prisma/migrations/', root)
  const names = (await readdir(migrations, { recursive: true })).filter((name) => name.endsWith('.sql')).sort()
  const code = [
    'src/database/embedded.ts',
    'src/database/postgis/extension.ts',
    'src/database/migrate.ts',
    'test/helpers/test-functions.ts',
  ]
  const made = [...names.map((name) => new URL(name.replaceAll('\\', '/'), migrations)), ...code.map((file) => new URL(file, root))]
  const hash = createHash('sha256').update(names.join('\n'))
  for (const file of made) hash.update(await readFile(file))
  const { dependencies } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of ['@electric-sql/pglite', '@electric-sql/pglite-postgis']) hash.update(`${name}@${dependencies[name]}`)
  return hash.digest('hex').slice(0, 16)
}

/** Deletes dumps of other states of the migrations (65 MB each) after a day without use. */
async function removeUnused(except: string): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const file of names.map((name) => join(tmpdir(), name))) {
    const seen = await stat(file).catch(() => undefined)
    if (file !== except && seen && Date.now() - seen.mtimeMs > UNUSED_MAX_MS) await rm(file, { force: true })
  }
}
