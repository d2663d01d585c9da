import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { readFromOneServer } from '../../src/database/replicas.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { createBrowser } from '../helpers/browser.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { hasPostgres } from '../helpers/servers/postgres-cluster.ts'
import { startStallingProxy } from '../helpers/servers/stalling-proxy.ts'
import { createLoggedInBrowser, sendMultipart } from '../helpers/logged-in-browser.ts'
import { basic, bearer } from '../http/app-on.ts'
import { OPS_TOKEN } from '../ops/ops-app.ts'
import { readScrape } from '../ops/prometheus.ts'
import { portOf, WAIT, useStandbys, readServerPort } from './standbys.ts'

const PASSWORD = 'correct horse'

describe.runIf(testDatabaseUrl !== undefined && hasPostgres)(
  'streaming standbys (needs servers and an installed PostgreSQL)',
  () => {
    const standbys = useStandbys()
    const { open, openApp, pause, resume, catchUp, lsnOf } = standbys

    /** Tests with databases in place of standbys run always (replicas.test.ts); most of these run only in the long form. */
    const itLong = it.runIf(isLong)

    it('show a change to its author at once, in every process and by every credential, and to others after the replay', async () => {
      const [near] = standbys.servers
      const { count, send, fastify } = await openApp([near])
      const other = await openApp([near])
      const create = createFactories(standbys.primary)
      const ada = await create.user({ name: 'Ada', password_hash: await hashPassword(PASSWORD) })
      const bob = await create.user({ name: 'Bob' })
      await pause(near)
      const before = await count()

      await send(ada.token)

      const browser = await createLoggedInBrowser({ fastify: other.fastify, db: standbys.primary } as never, ada)
      const onPage = async (one: typeof browser) =>
        Number(/<h2 id="issues">(?:<span[^>]*>)?(\d+)/.exec((await one.get('/places/green')).text)?.[1])
      const own = [
        await count(bearer(ada.token)),
        await other.count(bearer(ada.token)),
        await other.count(basic(ada.email, PASSWORD)),
      ]
      expect(own).toEqual([1, 1, 1].map((more) => before + more))
      expect(await onPage(browser)).toBe(before + 1)
      const others = [await count(), await other.count(), await count(bearer(bob.token)), await onPage(createBrowser(fastify))]
      expect(others).toEqual([before, before, before, before])

      // The standby has caught up, so Ada reads from it again and does not see Bob's newer report.
      await resume(near)
      await pause(near)
      await send(bob.token)
      expect([await count(), await count(bearer(ada.token)), await other.count(bearer(ada.token))]).toEqual(
        [1, 1, 1].map((n) => before + n),
      )
      expect(await count(bearer(bob.token))).toBe(before + 2)
      await resume(near)
    })

    itLong('show a report to a user who has just registered by the web form', async () => {
      const [near] = standbys.servers
      const [{ fastify, count }, other] = [await openApp([near]), await openApp([near])]
      const issuesOn = async (one: ReturnType<typeof createBrowser>) =>
        Number(/<h2 id="issues">(?:<span[^>]*>)?(\d+)/.exec((await one.get('/places/green')).text)?.[1])
      await pause(near)
      const before = await count()
      const cleo = createBrowser(fastify)

      const account = await cleo.post('/register', {
        ...{ name: 'Cleo Hill', email: 'cleo@example.org', accept_terms: 'true', return_to: '/' },
        ...{ password: PASSWORD, password_confirmation: PASSWORD },
      })
      const fields = {
        lat: String(GREEN.lat),
        lng: String(GREEN.lng),
        request_type_id: 'other',
        address: '1 Elm Street',
        'answers[summary]': 'Dark lamp',
      }
      const sent = await sendMultipart(cleo, '/report', fields)
      const page = await cleo.get(String(sent.headers['location']))
      const elsewhere = createBrowser(other.fastify)
      for (const [name, value] of cleo.jar) elsewhere.jar.set(name, value)

      expect([account.status, sent.status, page.status]).toEqual([303, 303, 200])
      expect(page.visibleText).toContain('Dark lamp')
      expect([await issuesOn(cleo), await issuesOn(elsewhere), await issuesOn(createBrowser(fastify))]).toEqual([
        before + 1,
        before + 1,
        before,
      ])
      await resume(near)
    })

    itLong('show an account that was created by the API to its owner only, until the replay', async () => {
      const [near] = standbys.servers
      const { anonymous } = await openApp([near])
      await pause(near)

      const account = {
        name: 'Dora Lund',
        email: 'dora@example.org',
        password: PASSWORD,
        password_confirmation: PASSWORD,
        accept_terms: true,
      }
      const made = await anonymous.send('POST', '/api/v2/users', { body: account })
      const { id } = made.body as { id: number }
      const own = await anonymous.get(`/users/${id}`, basic(account.email, PASSWORD))
      const others = await anonymous.get(`/users/${id}`)

      expect([made.status, own.status, others.status]).toEqual([201, 200, 404])
      await resume(near)
    })

    itLong('serve a user from the standby that has replayed the change while another one lags', async () => {
      const [near, far] = standbys.servers
      const { db, send, count } = await openApp([near, far])
      const eva = await createFactories(standbys.primary).user({ name: 'Eva' })
      await pause(near)
      const before = await count()
      await send(eva.token)
      await catchUp(far)
      const wrote = await lsnOf(eva.id)
      const readPorts = async (lsn?: string) => {
        const ports = []
        for (let n = 0; n < 4; n++) ports.push(await readFromOneServer(() => readServerPort(db), lsn))
        return ports
      }

      expect(await readPorts(wrote)).toEqual([portOf(far), portOf(far), portOf(far), portOf(far)])
      expect(new Set(await readPorts())).toEqual(new Set([portOf(near), portOf(far)]))
      expect(new Set([await count(), await count()])).toEqual(new Set([before, before + 1]))
      expect([await count(bearer(eva.token)), await count(bearer(eva.token))]).toEqual([before + 1, before + 1])
      await resume(near)
      await catchUp(near)
      expect(new Set(await readPorts(wrote))).toEqual(new Set([portOf(near), portOf(far)]))
    })

    itLong('have their position read again after another server gets their address', async () => {
      const [near, far] = standbys.servers
      const proxy = await startStallingProxy(far.url)
      const errors: string[] = []
      const db = open([{ ...far, url: proxy.url }], errors)
      const { send } = await openApp([near])
      const hal = await createFactories(standbys.primary).user({ name: 'Hal' })
      await pause(near)
      await send(hal.token)
      await catchUp(far)
      const wrote = await lsnOf(hal.id)
      const before = await readFromOneServer(() => readServerPort(db), wrote)
      // The role of the replica is read after the first response.
      await wait(300)

      proxy.switchTarget(near.url)
      await vi.waitFor(() => expect(errors).not.toEqual([]), WAIT)

      expect([before, await readFromOneServer(() => readServerPort(db), wrote)]).toEqual([
        portOf(far),
        portOf(standbys.cluster.primary),
      ])
      expect(await readServerPort(db)).toBe(portOf(near))
    })

    itLong('have their lag in /ops/health and /metrics', async () => {
      const [near, far] = standbys.servers
      const { anonymous, send } = await openApp([near, far])
      const gus = await createFactories(standbys.primary).user({ name: 'Gus' })
      await pause(near)
      await send(gus.token)
      await catchUp(far)

      const { body } = await anonymous.send('GET', '/ops/health', { headers: bearer(OPS_TOKEN) })
      const metrics = await anonymous.send('GET', '/metrics', { headers: bearer(OPS_TOKEN) })
      const { samples } = readScrape(metrics.text)
      const [nearLag, farLag] = [1, 2].map((n) => samples.get(`fixpoint_database_replica_lag_bytes{pool="replica ${n}"}`))

      expect((body as { checks: object }).checks).toMatchObject({
        replicas: {
          'replica 1': { status: 'ok', is_up: true, lag_bytes: nearLag },
          'replica 2': { status: 'ok', is_up: true, lag_bytes: farLag },
        },
      })
      expect(nearLag).toBeGreaterThan(0)
      expect(farLag).toBe(0)
      expect(samples.get('fixpoint_database_replica_up{pool="replica 2"}')).toBe(1)
    })

    itLong('are replaced by the primary while one is stopped, and serve reads again after its start', async () => {
      const [near] = standbys.servers
      const errors: string[] = []
      const { db, anonymous, count, send } = await openApp([near], errors)
      const finn = await createFactories(standbys.primary).user({ name: 'Finn' })
      await catchUp(near)
      const before = [await count(), await readServerPort(db)]
      vi.useFakeTimers({ toFake: ['Date'] })
      onTestFinished(() => void vi.useRealTimers())

      await near.stop()
      const during = await Promise.all(
        ['/issues', '/places?lat=41&lng=-72', '/users?lat=41&lng=-72'].map((path) => anonymous.get(path)),
      )
      await send(finn.token)
      const health = await anonymous.send('GET', '/ops/health', { headers: bearer(OPS_TOKEN) })
      const later = [await count(bearer(finn.token)), await count(), await readServerPort(db)]
      await near.start()
      const lsn = await lsnOf(finn.id)
      await catchUp(near)
      vi.setSystemTime(Date.now() + 61_000)
      const isBack = async () => expect(await readFromOneServer(() => readServerPort(db), lsn)).toBe(portOf(near))
      await vi.waitFor(isBack, WAIT)

      expect(before).toEqual([expect.any(Number), portOf(near)])
      expect(during.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((health.body as { alarms: string[] }).alarms).toContain('replica 1: it serves no reads')
      expect(later).toEqual([Number(before[0]) + 1, Number(before[0]) + 1, portOf(standbys.cluster.primary)])
      expect(await count(bearer(finn.token))).toBe(Number(before[0]) + 1)
      expect(errors.length).toBeGreaterThan(0)
    })
  },
)
