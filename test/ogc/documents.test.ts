import { describe, expect, it } from 'vitest'

import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader } from './reader.ts'

const app = useApp()
const { ask } = createReader(app)

interface Document {
  readonly links: readonly { readonly rel: string; readonly href: string; readonly type?: string }[]
}
const read = async (path: string) => JSON.parse((await ask(path)).text) as Record<string, unknown> & Document
/** Tiles have routes of their own. */
const pathsOf = ({ links }: Document) =>
  links.map(({ href }) => href).filter((href) => href.startsWith(PUBLIC_URL) && !/\/tile/.test(href))

describe('documents of /ogc', () => {
  it('link to each other and to items', async () => {
    const landing = await read('/ogc')
    const issues = await read('/ogc/collections/issues')
    const places = await read('/ogc/collections/places')

    const statuses = await Promise.all(
      [landing, issues, places].flatMap(pathsOf).map(async (href) => [href, (await ask(href.replace(PUBLIC_URL, ''))).status]),
    )

    expect(landing.links.map(({ rel }) => rel)).toEqual(
      expect.arrayContaining(['self', 'service-desc', 'service-doc', 'conformance', 'data']),
    )
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
    expect(statuses.length).toBeGreaterThan(20)
  })

  it('describe collections with their coordinate reference systems', async () => {
    const { collections } = (await read('/ogc/collections')) as unknown as { collections: readonly object[] }

    expect(collections).toMatchObject([
      { id: 'issues', itemType: 'feature', storageCrs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' },
      { id: 'places' },
    ])
  })

  it('name the conformance classes of features, filters and tiles', async () => {
    const { conformsTo } = await read('/ogc/conformance')

    expect(conformsTo).toEqual(
      expect.arrayContaining(
        [
          'ogcapi-features-1/1.0/conf/core',
          'ogcapi-features-3/1.0/conf/filter',
          'cql2/1.0/conf/basic-cql2',
          'ogcapi-tiles-1/1.0/conf/mvt',
        ].map((name) => `http://www.opengis.net/spec/${name}`),
      ),
    )
  })

  it('give the properties of issues their types and roles', async () => {
    const schema = await read('/ogc/collections/issues/schema')
    const queryables = await read('/ogc/collections/issues/queryables')
    const sortables = await read('/ogc/collections/issues/sortables')

    expect(schema['properties']).toMatchObject({
      id: { type: 'integer', 'x-ogc-role': 'id' },
      created_at: { type: 'string', format: 'date-time', 'x-ogc-role': 'primary-instant' },
      closed_at: { type: 'string', format: 'date-time' },
      rating_count: { type: 'integer' },
      geometry: { format: 'geometry-point', 'x-ogc-role': 'primary-geometry' },
    })
    expect(queryables['properties']).not.toHaveProperty('reporter')
    expect(queryables['properties']).toHaveProperty('geometry')
    expect(sortables['properties']).not.toHaveProperty('description')
  })

  it('include an OpenAPI document with every path and parameter', async () => {
    const answer = await ask('/ogc/api')
    const { openapi, paths, servers } = JSON.parse(answer.text) as {
      openapi: string
      servers: object
      paths: Record<string, { get: { operationId: string; parameters: readonly { name?: string; $ref?: string }[] } }>
    }

    const names = paths['/collections/issues/items']?.get.parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1))
    const ids = Object.values(paths).map(({ get }) => get.operationId)
    expect(answer.headers['content-type']).toBe('application/vnd.oai.openapi+json;version=3.0')
    expect(openapi).toBe('3.0.3')
    expect(servers).toEqual([{ url: `${PUBLIC_URL}/ogc` }])
    expect(names).toEqual(expect.arrayContaining(['bbox', 'datetime', 'filter', 'place_url', 'search', 'status', 'rating_count']))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    '',
    '/conformance',
    '/api',
    '/collections',
    '/collections/issues',
    '/collections/places/queryables',
    '/collections/issues/items',
  ])('show /ogc%s as a page that loads nothing from other hosts', async (path) => {
    const answer = await ask(`/ogc${path}`, 'text/html')

    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.text).toContain('<h1>')
  })

  it('escape texts of reports in pages', async () => {
    const issue = await app.create.issue({ summary: '<script>alert(1)</script>' })

    const list = await ask('/ogc/collections/issues/items?f=html')
    const one = await ask(`/ogc/collections/issues/items/${issue}?f=html`)

    expect(list.text).not.toContain('<script>')
    expect(one.text).not.toContain('<script>')
    expect(list.text).toContain('&lt;script&gt;')
  })

  it('are open to scripts of other sites', async () => {
    const { headers } = await app.as.anonymous.send('GET', '/ogc', { headers: { origin: 'https://example.com' } })

    expect(headers['access-control-allow-origin']).toBe('*')
  })

  it('return 404 for unknown collections and 400 for unknown parameters', async () => {
    const unknown = await ask('/ogc/collections/roads')
    const extra = await ask('/ogc/collections?colour=red')

    expect(unknown.status).toBe(404)
    expect(extra.status).toBe(400)
    expect(extra.body).toMatchObject({
      message: expect.stringContaining('colour: is not a parameter of this address; the parameters are f'),
    })
  })
})
