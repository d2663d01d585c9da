import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import type { Query } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { fetchTile, tileAt } from './tile-client.ts'

/** 150 times `RATE_LIMIT`, in a minute. */
const PER_MINUTE = 150
const CONCURRENCY = 8

describe('rate limit of tiles', () => {
  const app = useApp()

  it('returns 429 after 150 times RATE_LIMIT requests a minute', async () => {
    const on = await appOn(app.db, { RATE_LIMIT: '1', TRUST_PROXY: '1' })
    const from = (client: string) => ({ 'x-forwarded-for': client })
    const paths = ['/tiles/issues.json', '/ogc/tiles', '/tiles/issues/0/0/0.mvt']
    const request = (url: string, client = '203.0.113.1') => on.fastify.inject({ url, headers: from(client) })

    const served = []
    for (let n = 0; n < PER_MINUTE; n++) served.push((await request(paths[n % paths.length] ?? '')).statusCode)
    const refused = await request('/tiles/issues/0/0/0.mvt')
    const other = await request('/tiles/issues/0/0/0.mvt', '203.0.113.2')

    expect(new Set(served)).toEqual(new Set([200]))
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(other.statusCode).toBe(200)
  })

  it('serves a client eight tiles at a time', async () => {
    let [active, most] = [0, 0]
    const read = (async (statement) => {
      most = Math.max(most, ++active)
      await wait(20)
      active--
      return app.db.reader.query(statement)
    }) as Query
    const on = await appOn(app.db, {}, { db: { ...app.db, reader: { query: read } } })
    const paths = Array.from({ length: 40 }, (_, n) => tileAt({ lng: GREEN.lng + n, lat: GREEN.lat }, 12))

    const tiles = await Promise.all(paths.map((path) => fetchTile(on, path)))

    expect(new Set(tiles.map(({ status }) => status))).toEqual(new Set([200]))
    expect(most).toBeLessThanOrEqual(CONCURRENCY)
  })
})
