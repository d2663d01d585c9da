import { beforeAll, describe, expect, it } from 'vitest'

import type { Queryable } from '../../src/database/database.ts'
import type { Area } from '../../src/geo/area.ts'
import { findListVersion } from '../../src/issues/list/version.ts'
import { loadListVersion } from '../../src/issues/list/version-loader.ts'
import { fill, someIssues } from '../geo/world.ts'
import { useApp } from '../helpers/use-app.ts'

/** Nested boxes, most of which contain more issues than the one before. There are more of them than one batch can have. */
const boxes = Array.from({ length: 40 }, (_, n): Area => {
  const reach = 0.001 * 1.35 ** n
  return {
    kind: 'box',
    box: { west: -104.99 - reach / 10, south: 39.74 - reach / 10, east: -104.99 + reach / 9, north: 39.74 + reach / 20 },
  }
})

describe('concurrent lookups of list versions', () => {
  const app = useApp({ keepRows: true })
  let users: readonly number[]
  beforeAll(async () => {
    await fill(app.db, someIssues(500))
    users = [(await app.create.user()).id, (await app.create.user()).id]
  })

  function createReader(...callbacks: (() => Promise<unknown>)[]) {
    const reader: Queryable = {
      query: async (schema, statement) => {
        const rows = await app.db.query(schema, statement)
        await callbacks.shift()?.()
        return rows
      },
    }
    return { reader, callbacks }
  }

  const changesOf = (found: readonly Awaited<ReturnType<typeof loadListVersion>>[]) =>
    found.map((one) => one?.version.change_count ?? 0)
  const dependencyIdsFor = (n: number) => ({ users: users.slice(0, n % 3), requestTypes: [1_000_000] })

  it('share one statement', async () => {
    const { reader } = createReader(
      () => Promise.resolve(),
      () => Promise.reject(new Error('a second statement was sent')),
    )
    const found = await Promise.all(boxes.slice(0, 3).map((area, n) => loadListVersion(reader, area, null, dependencyIdsFor(n))))
    expect(found.length).toBe(3)
  })

  it('return the same versions as separate lookups', async () => {
    const { reader } = createReader()
    const found = await Promise.all(boxes.map((area, n) => loadListVersion(reader, area, null, dependencyIdsFor(n))))
    const alone = await Promise.all(boxes.map((area, n) => findListVersion(app.db, area, null, dependencyIdsFor(n))))
    expect(found).toEqual(alone)
    expect(new Set(changesOf(found)).size).toBeGreaterThan(5)
    expect(found[2]?.dependencies.users.size).toBe(2)
  })

  it('wait for the running statement, and return a version that is not older than the lookup', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const { reader, callbacks } = createReader(() => promise)
    const near = boxes.slice(0, 3)
    const first = Promise.all(near.map((area, n) => loadListVersion(reader, area, null, dependencyIdsFor(n))))
    await expect.poll(() => callbacks.length).toBe(0)
    const later = near.toReversed().map((area, n) => loadListVersion(reader, area, null, dependencyIdsFor(n)))
    await app.create.issue({ id: 1_000, at: { lng: -104.99, lat: 39.74 } })
    resolve(undefined)
    const before = changesOf(await first)
    const after = changesOf(await Promise.all(later)).toReversed()
    expect(after).toEqual(before.map((changes) => changes + 1))
  })

  it('fail together with their statement, but not the next batch', async () => {
    const { reader } = createReader(() => Promise.reject(new Error('unreachable')))
    const results = await Promise.allSettled(
      boxes.slice(0, 3).map((area) => loadListVersion(reader, area, null, dependencyIdsFor(0))),
    )
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const [area] = boxes
    const found = area && (await loadListVersion(reader, area, null, dependencyIdsFor(1)))
    expect(found?.dependencies.users.size).toBe(1)
  })
})
