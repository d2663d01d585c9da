import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { appOn } from '../http/app-on.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()

interface Link {
  readonly rel: string
  readonly href: string
  readonly type?: string
  readonly title?: string
}
interface Collection {
  readonly extent?: { readonly spatial: { readonly bbox: readonly (readonly number[])[]; readonly crs: string } }
  readonly links: readonly Link[]
}
const readCollections = async () => {
  const { body } = await app.as.anonymous.send('GET', '/ogc/collections')
  return body as { readonly collections: readonly Collection[] }
}

describe('collections of /ogc', () => {
  it('have the extent of their public items in space and time', async () => {
    await app.create.place({ around: GREEN, size: 1 })
    await app.create.issue({ at: { lng: -72.9, lat: 41.3 }, created_at: '2026-01-02T00:00:00.500Z' })
    await app.create.issue({ at: { lng: 2.35, lat: 48.8 }, created_at: '2026-01-01T00:00:00Z', status: 'Archived' })
    const changed = await app.create.issue({ at: { lng: 10, lat: 45.2 }, created_at: '2026-03-01T00:00:00Z' })
    await app.create.issue({ at: { lng: 179, lat: 80 }, created_at: '2027-01-01T00:00:00Z', moderation_state: 'held' })
    const rejected = await app.create.issue({ at: { lng: -179, lat: -80 }, moderation_state: 'rejected' })
    const change = { from_status: 'Open', to_status: 'Closed' } as const
    await app.db.prisma.statusChange.createMany({
      data: [
        { issue_id: changed, from_status: null, to_status: 'Open', created_at: '2026-03-01T00:00:00Z' },
        { issue_id: changed, ...change, created_at: '2026-03-02T00:00:00Z' },
        { issue_id: changed, ...change, created_at: '2026-03-03T00:00:00Z' },
        { issue_id: rejected, ...change, created_at: '2020-01-01T00:00:00Z' },
      ],
    })

    const { collections } = await readCollections()
    const { body } = await app.as.anonymous.send('GET', '/ogc/collections/issues')

    const [issues, places, history] = collections.map((collection) => collection.extent)
    expect(issues).toEqual({
      spatial: { bbox: [[-72.9, 41.3, 10, 48.8]], crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' },
      temporal: { interval: [['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z']] },
    })
    expect((body as Collection).extent).toEqual(issues)
    expect(places?.spatial.bbox).toEqual([[GREEN.lng - 1, GREEN.lat - 1, GREEN.lng + 1, GREEN.lat + 1]])
    expect(places).not.toHaveProperty('temporal')
    expect(history).toMatchObject({
      spatial: { bbox: [[10, 45.2, 10, 45.2]] },
      temporal: { interval: [['2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z']] },
    })
  })

  it('have no extent without items', async () => {
    const { collections } = await readCollections()

    expect(collections.map((collection) => Object.hasOwn(collection, 'extent'))).toEqual([false, false, false])
  })

  it('link to their whole downloads in every format', async () => {
    const { collections } = await readCollections()
    const [issues = [], places = [], history = []] = collections.map(({ links }) => links.filter(({ rel }) => rel === 'enclosure'))

    const types: (readonly [href: string, status: number, type: string | undefined])[] = []
    for (const { href } of [...issues, ...places, ...history]) {
      const { status, headers } = await app.as.anonymous.send('HEAD', href.replace(PUBLIC_URL, ''))
      types.push([href, status, headers['content-type']?.toString().split(';')[0]])
    }

    const names = (links: readonly Link[]) => links.map(({ href }) => href.replace(`${PUBLIC_URL}/exports/`, ''))
    expect(types).toEqual([...issues, ...places, ...history].map(({ href, type }) => [href, 200, type]))
    expect(names(issues)).toEqual(
      ['geojson', 'geojsonl', 'csv', 'gpx', 'kml', 'fgb', 'parquet', 'gpkg'].map((end) => `issues.${end}`),
    )
    expect(names(places)).toEqual(['geojson', 'geojsonl', 'csv', 'kml', 'fgb', 'parquet', 'gpkg'].map((end) => `places.${end}`))
    expect(names(history)).toEqual(names(issues).map((name) => name.replace('issues', 'history')))
    expect(issues[0]?.title).toBe('All issues as GeoJSON (RFC 7946)')
  })

  it.each([
    ['off', []],
    ['token', ['All places as CSV (RFC 4180) (needs a token)']],
  ])('link to downloads as far as EXPORTS=%s allows them', async (access, titles) => {
    const { anonymous } = await appOn(app.db, { EXPORTS: access })

    const { body } = await anonymous.send('GET', '/ogc/collections/places')

    const downloads = (body as Collection).links.filter(({ href }) => href.endsWith('/exports/places.csv'))
    expect(downloads.map(({ title }) => title)).toEqual(titles)
  })
})
