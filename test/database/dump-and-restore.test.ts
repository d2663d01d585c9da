import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, it } from 'vitest'

import { cities } from '../../prisma/seeds/cities/index.ts'
import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { watchAreas } from '../../prisma/seeds/watch-areas.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import { apiPrefix } from '../../src/http/request/urls.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { readCatalog } from '../helpers/read-catalog.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createFactories } from '../helpers/factories.ts'
import { hasPostgres } from '../helpers/servers/postgres-cluster.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { postgresBin } from '../kill/servers.ts'

const MINUTES_MS = 600_000
const serverUrl = testDatabaseUrl ?? ''
const name = 'dump and restore (needs TEST_DATABASE_URL, and pg_dump of a PostgreSQL with PostGIS)'

describe.runIf(testDatabaseUrl !== undefined && hasPostgres)(name, { timeout: MINUTES_MS }, () => {
  let source: Awaited<ReturnType<typeof createTestDatabase>>
  let token = ''

  beforeAll(async () => {
    source = await createTestDatabase(serverUrl, inject('template'))
    const database = openPostgres({ url: source.url, pools: { read: 5, write: 5 } })
    await seedDemo(database, { now: new Date('2026-03-10T15:00:00Z'), issuesPerCity: 60, say: () => {} })
    const create = createFactories(database)
    const ada = await create.user({ name: 'Ada Park', share_location: true })
    token = ada.token
    await create.vote({ on: 7, by: ada })
    await create.watchArea({ of: ada })
    // A change of the last minute has no Last-Modified, and the test may take longer.
    await backdateChanges(database)
    await database.close()
  }, MINUTES_MS)
  afterAll(() => source.drop())

  it('gives the same schema, rows and responses, by pg_restore --exit-on-error and by psql', async () => {
    const folder = createTemporaryFolder()
    const [custom, plain] = [join(folder, 'fixpoint.dump'), join(folder, 'fixpoint.sql')]
    await run('pg_dump', '--format=custom', `--file=${custom}`, `--dbname=${source.url}`)
    await run('pg_dump', '--format=plain', `--file=${plain}`, `--dbname=${source.url}`)

    const [byRestore, byPsql] = [await emptyDatabase(), await emptyDatabase()]
    await run('pg_restore', '--exit-on-error', `--dbname=${byRestore}`, custom)
    await run('psql', '--quiet', '--no-psqlrc', '--set=ON_ERROR_STOP=1', `--dbname=${byPsql}`, `--file=${plain}`)

    const original = await readDatabase(open(source.url), token)
    const responses = Object.values(original.responses)
    expect(responses.length).toBeGreaterThanOrEqual(100)
    expect(responses.filter(({ status }) => status !== 200)).toEqual([])
    await expectEqual(open(byRestore), original)
    await expectEqual(open(byPsql), original)
  })

  async function expectEqual(restored: Opened, original: Awaited<ReturnType<typeof readDatabase>>): Promise<void> {
    const { catalog, responses } = await readDatabase(restored, token)

    expect(catalog).toEqual(original.catalog)
    expect(Object.keys(responses).filter((url) => !isDeepStrictEqual(responses[url], original.responses[url]))).toEqual([])
    expect(await verifyPyramid(restored)).toMatchObject({ wrong: [], covers: 0 })
  }
})

type Opened = ReturnType<typeof openPostgres>

async function readDatabase(database: Opened, token: string) {
  return { catalog: await readCatalog(database), responses: await readResponses(database, token) }
}

function open(url: string) {
  const database = openPostgres({ url, pools: { read: 5, write: 5 } })
  onTestFinished(() => database.close())
  return database
}

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase(serverUrl)
  onTestFinished(drop)
  return url
}

const run = (command: string, ...args: string[]) => promisify(execFile)(join(postgresBin() ?? '', command), args)

async function readResponses(database: Opened, token: string) {
  const { anonymous: client } = await appOn(database, { LOG_LEVEL: 'silent' })
  const answers: Record<string, { status: number; headers: unknown[]; text: string }> = {}
  const ask = async (url: string, headers: Record<string, string> = {}) => {
    const { status, headers: sent, text } = await client.send('GET', url, { headers })
    answers[`${url}${JSON.stringify(headers)}`] = {
      status,
      // A whole download is a new file with a new tag each time.
      headers: [sent['content-type'], sent['accept-ranges'] === undefined ? sent['etag'] : null, sent['last-modified']],
      text,
    }
  }
  for (const path of [...cityPaths(), ...publicPaths()]) await ask(`${apiPrefix}${path}`)
  for (const path of ['/profile', '/watchers', '/emails', '/tokens', '/issues/7']) await ask(`${apiPrefix}${path}`, bearer(token))
  for (const feed of ['/feeds/issues.atom', '/feeds/issues.geojson']) {
    for (const query of ['', ...watchAreas.map((area) => `?watcher_token=${area.token}`)]) await ask(`${feed}${query}`)
  }
  return answers
}

const everyStatus = 'status=open,acknowledged,closed,archived'

const cityPaths = () =>
  cities.flatMap(({ urlName, center: [lng, lat] }) => [
    `/issues?place_url=${urlName}`,
    `/issues?place_url=${urlName}&${everyStatus}&sort=rating&per_page=100&details=true`,
    `/issues?lat=${lat}&lng=${lng}&zoom=12&sort=distance`,
    `/issues/new?lat=${lat}&lng=${lng}`,
    `/issues/duplicates?lat=${lat}&lng=${lng}&request_type_id=1&summary=pothole`,
    `/places?lat=${lat}&lng=${lng}`,
    `/places/${urlName}`,
    `/${urlName}/questions`,
    `/users?lat=${lat}&lng=${lng}`,
    `/issues?place_url=${urlName}&search=street`,
  ])

const publicPaths = () => [
  ...['pothole', 'pothol', 'graffiti', 'water main', 'stret light'].map((words) => `/issues?search=${encodeURIComponent(words)}`),
  ...[1, 2, 3].flatMap((page) => [`/issues?${everyStatus}&page=${page}`, `/issues?sort=updated_at&page=${page}`]),
  ...watchAreas.flatMap(({ token }) => [`/issues?watcher_token=${token}`, `/issues?watcher_token=${token}&${everyStatus}`]),
  ...[1, 2, 3, 4, 5].flatMap((id) => [`/issues/${id}`, `/issues/${id}/comments`, `/users/${id}`, `/request_types/${id}`]),
  '/request_types/other',
]
