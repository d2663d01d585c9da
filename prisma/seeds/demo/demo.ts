import Type from 'typebox'

import { sql, type Database, type PrismaHandle, type Queryable } from '../../../src/database/database.ts'
import { UserFacingError } from '../../../src/environment/user-facing-error.ts'
import { countWords } from '../../../src/search/dictionary.ts'
import { hashPassword } from '../../../src/http/identity/credentials.ts'
import type { FileStore } from '../../../src/storage/file-store.ts'
import { cities } from '../cities/index.ts'
import { demoKey, placeRows, readBoundaries } from '../boundaries.ts'
import { load } from './load.ts'
import { adminLogin, moderatorLogin, officialLogin, residentLogin } from '../logins.ts'
import { choosePictures } from '../pictures/choose-pictures.ts'
import { storePictures } from '../pictures/store-pictures.ts'
import { communitySpecs } from '../request-types.ts'
import { createRandom } from '../random.ts'
import { makeScenario, type Scenario } from '../scenario.ts'
import { watchAreas } from '../watch-areas.ts'

export interface DemoOptions {
  readonly seed?: number
  /** All dates are relative to this day. */
  readonly now?: Date
  readonly issuesPerCity?: number
  /** The demo has pictures only if it gets a store for them. */
  readonly files?: FileStore
  readonly say: (line: string) => void
}

export interface DemoSummary {
  /** False if the database already had the demo. It is then unchanged. */
  readonly added: boolean
  readonly issues: number
  readonly users: number
  readonly seconds: number
}

export class DemoRefused extends UserFacingError {
  override name = 'DemoRefused'
}

export const SEED = 2026
export const ISSUES_PER_CITY = 1250
const ANALYZED_TABLES =
  'users, places, issues, issue_answers, media, comments, status_changes, votes, follows, questions, answers, issue_targets, closing_answers, search_words'

/**
 * Adds the demo in one transaction. The same seed and day give the same rows, except for salts, keys of files and times that triggers write.
 * @throws DemoRefused if the database already uses names that the demo needs
 */
export async function seedDemo(database: Database, options: DemoOptions): Promise<DemoSummary> {
  return database.exclusively('fixpoint demo', async () => {
    const began = performance.now()
    if (await hasDemo(database)) {
      options.say('The database already has the demo. Nothing was changed.')
      return { added: false, issues: 0, users: 0, seconds: 0 }
    }
    await assertNamesAreFree(database)
    options.say('Adding the demo of eight cities (once, about ten seconds) …')
    const { seed = SEED, now = new Date(), issuesPerCity = ISSUES_PER_CITY, files, say } = options
    const boundaries = await readBoundaries()
    const scenario = makeScenario(boundaries, { seed, now, issuesPerCity })
    const chosenPictures = choosePictures(createRandom(seed, 'pictures'), scenario.issues, scenario.now)
    const storedPictures = files ? storePictures(files, chosenPictures, say) : Promise.resolve([])
    const passwordHashes = await hashPasswords(scenario)
    await database.bulk((session) => load(session, { scenario, storedPictures, boundaries, passwordHashes, say }))
    await countWords(database)
    // The embedded engine has no autovacuum, and on a server the first requests come before it has run.
    await database.executeScript(`ANALYZE ${ANALYZED_TABLES}`)
    const seconds = (performance.now() - began) / 1000
    const summary = { added: true, issues: scenario.issues.length, users: scenario.people.all.length, seconds }
    say(`The demo is ready: ${summary.issues} issues by ${summary.users} people, in ${seconds.toFixed(1)} s.`)
    return summary
  })
}

export async function hasDemo(database: PrismaHandle): Promise<boolean> {
  const keys = placeRows.map(({ urlName }) => demoKey(urlName))
  return (await database.prisma.place.count({ where: { import_key: { in: keys } } })) > 0
}

const hashPasswords = async ({ people }: Scenario): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      people.all
        .flatMap(({ login }) => login ?? [])
        .map(async ({ email, password }) => [email, await hashPassword(password)] as const),
    ),
  )

const TakenName = Type.Object({ name: Type.String() })

async function assertNamesAreFree(database: Queryable): Promise<void> {
  const logins = [residentLogin, moderatorLogin, adminLogin, ...cities.map(officialLogin)]
  const titles = communitySpecs.map(({ title }) => title)
  const taken = await database.query(sql.type(TakenName)`
    SELECT 'the place ' || p.url_name AS name FROM places p WHERE p.url_name = ANY (${placeRows.map(({ urlName }) => urlName)}::text[])
    UNION ALL
    SELECT 'the e-mail address ' || e.email FROM email_addresses e WHERE lower(e.email) = ANY (${logins.map(({ email }) => email)}::text[])
    UNION ALL
    SELECT 'the organisation ' || o.name FROM organizations o
    WHERE o.name = ANY (${cities.flatMap(({ agencies }) => agencies.map(({ name }) => name))}::text[])
    UNION ALL
    SELECT 'the community request type ' || rt.title FROM request_types rt
    WHERE rt.organization_id IS NULL AND rt.title = ANY (${titles}::text[])
    UNION ALL
    SELECT 'the watcher token ' || w.watcher_token FROM watch_areas w WHERE w.watcher_token = ANY (${watchAreas.map(({ token }) => token)}::text[])
    ORDER BY name`)
  if (taken.length === 0) return
  const names = taken.map(({ name }) => name).join(', ')
  throw new DemoRefused(
    `The demo was not added, because the database already uses some of its names: ${names}. Use an empty database.`,
  )
}
