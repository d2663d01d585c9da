import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { damagedGeometryFilter } from './damaged-geometries.ts'
import { anyFilter, instants, type TestFeature, words } from './cql2-filters.ts'
import { createReader, ISSUES } from './reader.ts'

const app = useApp({ keepRows: true })
const { ask, readItems } = createReader(app)
const filterUrl = (filter: string, language: string) =>
  `${ISSUES}?limit=1000&filter-lang=${language}&filter=${encodeURIComponent(filter)}`

/** A number that looks random, the same in each run. */
const pick = <Item>(items: readonly Item[], n: number): Item => items[(n * 7919) % items.length] as Item

describe('random CQL2 filters', () => {
  let features: readonly TestFeature[]
  beforeAll(async () => {
    const type = await app.create.requestType({ title: 'Hole' })
    for (let n = 0; n < 60; n++) {
      const created_at = pick(instants, n)
      await app.create.issue({
        summary: pick(words, n),
        at: { lng: ((n * 7) % 41) - 20, lat: ((n * 11) % 41) - 20 },
        created_at,
        base_rating: n % 5,
        ...(n % 3 === 0 ? { address: pick(words, n + 3) } : {}),
        ...(n % 4 === 0 ? { request_type: type } : {}),
        ...(n % 5 === 0 ? { status: 'Closed' as const, closed_at: pick(instants, n + 1) } : {}),
      })
    }
    features = (await readItems(`${ISSUES}?limit=1000`)).features as unknown as readonly TestFeature[]
  })

  it('select the same issues in both encodings as an evaluation over the features', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, async ({ text, json, evaluate }) => {
        const expected = features.filter((feature) => evaluate(feature) === true).map(({ id }) => id)

        const byText = await readItems(filterUrl(text, 'cql2-text'))
        const byJson = await readItems(filterUrl(JSON.stringify(json), 'cql2-json'))

        expect(byText.features.map(({ id }) => id)).toEqual(expected)
        expect(byText.numberMatched).toBe(expected.length)
        expect(byJson.features).toEqual(byText.features)
      }),
      runs(50),
    )
  })

  it('are refused with 400 where they are damaged, and never fail', async () => {
    const damaged = fc
      .tuple(anyFilter, fc.nat(), fc.nat(5), fc.string({ maxLength: 4 }))
      .map(([{ text, json }, start, length, inserted]) => {
        const source = start % 2 === 0 ? text : JSON.stringify(json)
        const from = start % (source.length + 1)
        return `${source.slice(0, from)}${inserted}${source.slice(from + length)}`
      })

    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, fc.string({ unit: 'binary' }), fc.json()), fc.boolean(), async (filter, isText) => {
        const { status } = await ask(filterUrl(filter.toWellFormed(), isText ? 'cql2-text' : 'cql2-json'))

        expect([200, 400]).toContain(status)
      }),
      runs(50),
    )
  })

  it('are refused with 400 where a part of a geometry is damaged, and never fail', async () => {
    await fc.assert(
      fc.asyncProperty(damagedGeometryFilter, async (filter) => {
        const { status } = await ask(filterUrl(filter, 'cql2-json'))

        expect([200, 400]).toContain(status)
      }),
      runs(50),
    )
  })
})

describe('random parameters', () => {
  it('select the same issues as the list', async () => {
    const number = fc.integer({ min: -25, max: 25 })
    const parameters = fc.record(
      {
        box: fc.tuple(number, number, number, number),
        status: fc.subarray(['open', 'acknowledged', 'closed', 'archived'], { minLength: 1 }),
        search: fc.constantFrom('hole', 'lamp', 'ubel'),
        after: fc.constantFrom(...instants),
        request_types: fc.constantFrom('other'),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(parameters, async ({ box, status, ...others }) => {
        const [west = 0, one = 0, east = 0, other = 0] = box ?? []
        const [south, north] = [Math.min(one, other), Math.max(one, other)]
        const shared = new URLSearchParams({ ...others, ...(status ? { status: status.join() } : {}) })
        const inList = box ? `&min_lng=${west}&max_lng=${east}&min_lat=${south}&max_lat=${north}` : ''
        const list = await app.as.anonymous.get(`/issues?per_page=100&${shared}${inList}`)
        const { issues } = list.body as { issues: readonly { id: number }[] }

        const items = await readItems(`${ISSUES}?limit=1000&${shared}${box ? `&bbox=${west},${south},${east},${north}` : ''}`)

        expect(items.features.map(({ id }) => id)).toEqual(issues.map(({ id }) => id).toSorted((a, b) => a - b))
        expect(items.numberMatched).toBe(issues.length)
      }),
      runs(50),
    )
  })
})
