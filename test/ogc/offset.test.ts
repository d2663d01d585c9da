import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader, ISSUES, PLACES } from './reader.ts'

const app = useApp()
const { ask, readItems, readIds, readPages } = createReader(app)
const at = (path: string) => `${PUBLIC_URL}${path}`

describe('offset', () => {
  it('skips the items of offset, and links to the next page by a cursor', async () => {
    const old = await app.create.issue({ at: GREEN, created_at: '2026-01-01T00:00:00Z' })
    const newest = await app.create.issue({ at: GREEN, created_at: '2026-01-03T00:00:00Z' })
    const middle = await app.create.issue({ at: FAR_AWAY, created_at: '2026-01-02T00:00:00Z' })
    const costly = encodeURIComponent(Array(20).fill("CASEI(description) <> 'y'").join(' AND '))
    await app.db.executeScript(`UPDATE issues SET description = 'x'`)

    const { links, numberMatched, numberReturned } = await readItems(`${ISSUES}?limit=1&offset=1`)
    const hrefs = Object.fromEntries(links.map(({ rel, href }) => [rel, href]))

    expect({ numberMatched, numberReturned }).toEqual({ numberMatched: 3, numberReturned: 1 })
    expect(hrefs['self']).toBe(at(`${ISSUES}?f=json&limit=1&offset=1`))
    expect(hrefs['first']).toBe(at(`${ISSUES}?limit=1`))
    expect(hrefs['next']).toMatch(/\?cursor=[^&]*&limit=1$/)
    expect(await readPages(`${ISSUES}?limit=1&offset=1`)).toEqual([[newest], [middle]])
    expect(await readPages(`${ISSUES}?limit=1&offset=1&sortby=-created_at`)).toEqual([[middle], [old]])
    expect(await readPages(`${ISSUES}?limit=1&offset=1&f=jsonfg`)).toEqual([[newest], [middle]])
    expect(await readPages(`${ISSUES}?limit=1&offset=1&filter=${costly}`)).toEqual([[newest], [middle]])
    expect(await readIds(`${ISSUES}?offset=1&bbox=${GREEN.lng},${GREEN.lat},${GREEN.lng},${GREEN.lat}`)).toEqual([newest])
    expect(await readIds(`${ISSUES}?offset=1&datetime=2026-01-02/..`)).toEqual([middle])
    expect(await readItems(`${ISSUES}?offset=100000`)).toMatchObject({ numberMatched: 3, features: [] })
  })

  it('skips places in their order', async () => {
    const last = await app.create.place({ name: 'New Haven' })
    await app.create.place({ name: 'Elsewhere', around: FAR_AWAY })

    expect(await readPages(`${PLACES}?limit=1&offset=1&sortby=name`)).toEqual([[last.id]])
  })

  it.each([
    ['offset=-1', 'offset: must be an integer from 0 to 100000'],
    ['offset=1.5', 'offset: must be an integer from 0 to 100000'],
    ['offset=100001', 'offset: must be an integer from 0 to 100000'],
    ['offset=1&cursor=WyIiLDFd', 'offset: must not be given together with cursor'],
  ])('returns 400 that names it for %s', async (query, message) => {
    const response = await ask(`${ISSUES}?${query}`)

    expect(response.status).toBe(400)
    expect(JSON.parse(response.text)).toMatchObject({ message: expect.stringContaining(message) })
  })
})
