import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, inject } from 'vitest'

import { readStreetMaps } from '../../prisma/seeds/demo/street-maps.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openLog } from '../../src/process/log.ts'
import type { Services } from '../../src/services.ts'
import { openServices } from '../../src/startup/open-services.ts'
import { clearLeakMarkers, watchForLeaks } from '../contract/leak-markers.ts'
import { type Client, createClient } from './client.ts'
import { cachedCompilers } from './cached-compilers.ts'
import { holdDatabase, openTestDatabase, resetDatabase, schemaHash } from './database.ts'
import { type Factories, createFactories, type TestUser } from './factories.ts'

export interface UseAppOptions {
  /** Environment variables of the app; `RATE_LIMIT` and `REGISTRATION_LIMIT` are high by default. */
  readonly env?: Record<string, string>
  /** Keeps rows from test to test, for a file that fills the database once. */
  readonly keepRows?: boolean
  /** Creates an app for this file alone, for example to add routes or to listen. */
  readonly ownApp?: boolean
  /** Without it no request is refused, because a busy machine blocks the event loop for seconds. */
  readonly eventLoopDelayMaxMs?: number
  readonly eventLoopSampleMs?: number
}

export interface TestApp {
  readonly fastify: Awaited<ReturnType<typeof buildApp>>
  readonly services: Services
  readonly db: Awaited<ReturnType<typeof openTestDatabase>>
  readonly create: Factories
  readonly as: {
    readonly anonymous: Client
    user(person: TestUser): Client
  }
}

export const PUBLIC_URL = 'http://fixpoint.test'

/** Opens the real app on a database of this file. Its properties are available in tests and hooks only. */
export function useApp({
  env = {},
  keepRows = false,
  ownApp = false,
  eventLoopDelayMaxMs = Infinity,
  eventLoopSampleMs,
}: UseAppOptions = {}): TestApp {
  let opened: OpenApp
  const isPlain = !ownApp && Object.keys(env).length === 0 && eventLoopDelayMaxMs === Infinity && inject('reusesDatabase')
  beforeAll(async () => {
    opened =
      (isPlain && takeIdle()) || (await openApp(env, { eventLoopDelayMaxMs, ...(eventLoopSampleMs ? { eventLoopSampleMs } : {}) }))
  })
  if (!keepRows) beforeEach(() => resetDatabase(opened.db))
  afterAll(async () => {
    if (!isPlain || !(await keepIdle(opened))) await opened.close()
  })
  return {
    get fastify() {
      return opened.fastify
    },
    get services() {
      return opened.services
    },
    get db() {
      return opened.db
    },
    get create() {
      return opened.create
    },
    get as() {
      return opened.as
    },
  }
}

interface OpenApp extends TestApp {
  readonly files: string
  readonly schema: string
  close(): Promise<void>
}

/** All files share the app without variables, because a new one takes half a second. */
let idle: OpenApp | undefined

function takeIdle(): OpenApp | undefined {
  // Files with an app of their own may have run since it was emptied.
  clearLeakMarkers()
  const app = idle
  idle = undefined
  return app
}

/** Empties the app for the next file. Returns false if its schema was changed. */
async function keepIdle(app: OpenApp): Promise<boolean> {
  if (idle !== undefined || (await schemaHash(app.db)) !== app.schema) return false
  await resetDatabase(app.db)
  for (const name of readdirSync(app.files)) rmSync(join(app.files, name), { recursive: true })
  idle = app
  holdDatabase(() => takeIdle()?.close())
  return true
}

async function openApp(
  env: Record<string, string>,
  overload: Pick<UseAppOptions, 'eventLoopDelayMaxMs' | 'eventLoopSampleMs'>,
): Promise<OpenApp> {
  const files = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  const db = await openTestDatabase()
  const config = readConfig({
    PUBLIC_URL,
    RATE_LIMIT: '1000000',
    REGISTRATION_LIMIT: '1000000',
    LOG_LEVEL: 'silent',
    // Tests that read all addresses need an end.
    STREAM_SECONDS_MAX: '0',
    DATA_DIR: files,
    ...env,
  })
  const services = await openServices({
    config,
    db,
    log: openLog(config.logLevel),
    servedUrl: () => PUBLIC_URL,
    readStreetMaps,
    ...overload,
    apiWaitMaxMs: 60_000,
  })
  const fastify = await buildApp(services, cachedCompilers)
  await fastify.ready()
  watchForLeaks(fastify, db)
  return {
    fastify,
    services,
    db,
    create: createFactories(db),
    as: { anonymous: createClient(fastify), user: (person) => createClient(fastify, { authorization: `Bearer ${person.token}` }) },
    files,
    schema: await schemaHash(db),
    close: async () => {
      await fastify.close()
      await services.close()
      await db.close()
      rmSync(files, { recursive: true, force: true })
    },
  }
}
