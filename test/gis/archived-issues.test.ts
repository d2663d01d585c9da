import { describe, expect, it } from 'vitest'

import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const ITEMS = '/ogc/collections/issues/items'

async function countIn(url: string): Promise<number> {
  const { status, text } = await app.as.anonymous.send('GET', url)
  expect(status, text).toBe(200)
  return Number(/"numberMatched":(\d+)/.exec(text)?.[1] ?? text.trimEnd().split('\r\n').length - 1)
}

const createIssues = async () => {
  await app.create.issue()
  await app.create.issue({ status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
}

describe('an archived issue', () => {
  it.each([
    '/exports/issues.geojson',
    '/exports/issues.csv',
    '/feeds/issues.geojson',
    '/feeds/issues.geojson?page=&sort=rating',
    '/feeds/issues.geojson?status=',
    ITEMS,
    `${ITEMS}?bbox=-180,-90,180,90`,
    `${ITEMS}?filter=rating_count>0`,
    '/open311/v2/bulk/requests.csv',
  ])('is in %s by default', async (url) => {
    await createIssues()

    expect(await countIn(url)).toBe(2)
  })

  it.each([
    '/feeds/issues.geojson?per_page=10',
    '/feeds/issues.geojson?page=1',
    '/feeds/issues.geojson?status=open',
    '/exports/issues.geojson?status=open',
  ])('is not in %s', async (url) => {
    await createIssues()

    expect(await countIn(url)).toBe(1)
  })

  it('is not in an Atom feed, whose link to GeoJSON has the same issues', async () => {
    await createIssues()

    const { text } = await app.as.anonymous.send('GET', '/feeds/issues.atom')

    const [, geoJson = ''] = /type="application\/geo\+json" href="([^"]+)"/.exec(text) ?? []
    expect(text.match(/<entry>/g)).toHaveLength(1)
    expect(await countIn(geoJson.replace(PUBLIC_URL, '').replaceAll('&amp;', '&'))).toBe(1)
  })

  it.each([
    ["status='Archived'", 1],
    ["status<>'Open'", 1],
    ["status='Open'", 1],
    ['id>0', 2],
  ])('is found by the filter %s like other issues', async (filter, count) => {
    await createIssues()

    expect(await countIn(`${ITEMS}?filter=${filter}`)).toBe(count)
  })
})
