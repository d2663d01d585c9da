import { onTestFinished } from 'vitest'

import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openLog } from '../../src/process/log.ts'
import type { Services } from '../../src/services.ts'
import { openServices } from '../../src/startup/open-services.ts'
import { watchForLeaks } from '../contract/leak-markers.ts'
import { cachedCompilers } from '../helpers/cached-compilers.ts'
import { createClient } from '../helpers/client.ts'
import { PUBLIC_URL, type TestApp } from '../helpers/use-app.ts'

export interface AppOn {
  readonly fastify: TestApp['fastify']
  readonly services: Services
  readonly anonymous: ReturnType<typeof createClient>
  readonly logged: Record<string, unknown>[]
}

/** Starts another app on the database of a test file, for one test. @param replace replaces services, such as an unreachable database */
export async function appOn(db: TestApp['db'], env: Record<string, string> = {}, replace: Partial<Services> = {}): Promise<AppOn> {
  const { close, ...app } = await openAppOn(db, env, replace)
  onTestFinished(close)
  return app
}

/** Starts another app, which the caller closes. */
export async function openAppOn(
  db: TestApp['db'],
  env: Record<string, string> = {},
  replace: Partial<Services> = {},
): Promise<AppOn & { readonly close: () => Promise<void> }> {
  const config = readConfig({
    PUBLIC_URL,
    RATE_LIMIT: '1000000',
    REGISTRATION_LIMIT: '1000000',
    LOG_LEVEL: 'info',
    STREAM_SECONDS_MAX: '0',
    ...env,
  })
  const logged: Record<string, unknown>[] = []
  const log = openLog(config.logLevel, { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) })
  const services = {
    ...(await openServices({ config, db, log, servedUrl: () => PUBLIC_URL, eventLoopDelayMaxMs: Infinity, apiWaitMaxMs: 60_000 })),
    ...replace,
  }
  const fastify = await buildApp(services, cachedCompilers)
  await fastify.ready()
  watchForLeaks(fastify, db)
  const close = async () => {
    await fastify.close()
    await services.close()
  }
  return { fastify, services, anonymous: createClient(fastify), logged, close }
}

/** Returns the header of HTTP Basic (RFC 7617). */
export const basic = (email: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
})

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
