import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createRandom } from '../../prisma/seeds/random.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { openFakeEndpoint } from '../georeport/open-fake-endpoint.ts'
import { checkWrites } from '../kill/check-writes.ts'
import { createWorld } from '../kill/create-world.ts'
import { openSink } from '../kill/mail-server.ts'
import { waitForPostgres } from '../kill/servers.ts'
import { startService, waitUntilReady } from '../kill/service.ts'
import { type ConfirmedWrite, startWriter } from '../kill/writer.ts'
import { createWrites } from '../kill/writes.ts'
import { hasPatroni, startPatroni } from './patroni.ts'
import { createServerFolder } from './processes.ts'

const FAILOVERS = Number(process.env['FAILOVERS'] ?? 20)
const CLIENTS = 200
const PAUSE_MS = 6_000
const OUTAGE_MAX_S = 30
const say = (line: string) => void process.stdout.write(`${line}\n`)

describe.runIf(hasPatroni)('a Patroni cluster with a synchronous standby (needs patroni, etcd-server and haproxy)', () => {
  it(
    'keeps every acknowledged write once in failovers, and answers 503 for at most 30 seconds',
    { timeout: 60 * 60_000 },
    async () => {
      const seed = 38
      const folder = createServerFolder()
      const cluster = await startPatroni(folder)
      await cluster.waitUntilWhole()
      await waitForPostgres(cluster.proxyUrl)
      const { username, password } = new URL(cluster.proxyUrl)
      const hosts = cluster.urls.map((url) => new URL(url).host).join(',')
      const severalHosts = `postgres://${username}:${password}@${hosts}/postgres?target_session_attrs=read-write`
      const [sink, endpoint] = [await openSink(createRandom(seed, 'sink')), await openFakeEndpoint()]
      sink.calm()
      const db = openPostgres({ url: severalHosts, pools: { read: 1, write: 2 }, onConnectionLost: () => undefined })
      onTestFinished(async () => {
        await db.close()
        await sink.close()
        await endpoint.stop()
      })
      await migrate(db)
      const world = await createWorld(db, { people: CLIENTS, issues: 40 }, endpoint.url)
      const start = async (name: string, databaseUrl: string, workers: number, env: Record<string, string>) => {
        const own = join(folder, name)
        mkdirSync(own)
        chmodSync(own, 0o755)
        const service = await startService({ folder: own, databaseUrl, redisUrl: undefined, sink, web: 1, workers, env })
        onTestFinished(async () => void (await Promise.all([...service.web, ...service.worker].map((one) => one.stop()))))
        await waitUntilReady(service.urls)
        return service.urls[0] ?? ''
      }
      const urls = [
        await start('by-proxy', cluster.proxyUrl, 1, {}),
        await start('by-hosts', severalHosts, 1, { DATABASE_REPLICA_URLS: cluster.urls.join(',') }),
      ]
      const confirmed: ConfirmedWrite[] = []
      const writes = createWrites(createRandom(seed, 'writes'), world)
      const writer = startWriter({
        ...{
          urls,
          random: createRandom(seed, 'writer'),
          next: writes.next,
          concurrency: CLIENTS,
          pause_ms: PAUSE_MS,
          retry_ms: 1_000,
          responseMax_ms: 60_000,
        },
        onConfirmed(one) {
          confirmed.push(one)
          if (one.write.kind === 'report' && one.id !== undefined) writes.addIssue(one.id, one.write.by)
        },
      })
      onTestFinished(() => writer.giveUp())
      await pause(5_000)

      const outages: { kind: string; seconds: number[] }[] = []
      for (let n = 0; n < FAILOVERS; n++) {
        const kind = n % 2 === 0 ? 'crash' : 'switchover'
        const before = await cluster.leader()
        const began = Date.now()
        const restart = kind === 'crash' ? await cluster.crash() : await cluster.switchover()
        while ((await cluster.leader()) === before) await pause(100)
        const changed = Date.now()
        const answers = (url: string) => confirmed.filter(({ by, answered_at }) => by === url && answered_at >= began)
        for (const url of urls) while (!answers(url).some(({ answered_at }) => answered_at > changed)) await pause(100)
        await pause(3_000)
        outages.push({ kind, seconds: urls.map((url) => longestGap_s(began, answers(url))) })
        restart?.()
        await cluster.waitUntilWhole()
        say(
          `${n + 1}: ${kind}, ${outages.at(-1)?.seconds.join(' and ')} s without a write; ${confirmed.length} writes, ${JSON.stringify(writer.failures)}`,
        )
      }
      await writer.finish()

      // The check looks writes up by their texts.
      await db.executeScript(
        'CREATE INDEX ON comments (comment); CREATE INDEX ON issues (summary); CREATE INDEX ON events (subject_id); ANALYZE',
      )
      expect(await checkWrites(db, confirmed)).toEqual([])
      expect(Object.keys(writer.failures)).toEqual(['503'])
      expect(Math.max(...outages.flatMap(({ seconds }) => seconds))).toBeLessThanOrEqual(OUTAGE_MAX_S)
      say(`${FAILOVERS} failovers, ${confirmed.length} acknowledged writes, 0 lost, 0 doubled, ${JSON.stringify(writer.failures)}`)
    },
  )
})

function longestGap_s(began: number, answers: readonly ConfirmedWrite[]): number {
  const times = [began, ...answers.map(({ answered_at }) => answered_at)]
  return Math.max(...times.slice(1).map((time, n) => time - (times[n] ?? time))) / 1_000
}
