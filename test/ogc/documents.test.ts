import { Validator } from '@seriousme/openapi-schema-validator'
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { hasPythonPackage, python } from '../helpers/python.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader } from './reader.ts'

const app = useApp()
const { ask, readItems } = createReader(app)

interface Document {
  readonly links: readonly { readonly rel: string; readonly href: string; readonly type?: string }[]
}
const read = async (path: string) => JSON.parse((await ask(path)).text) as Record<string, unknown> & Document
/** Templates are links to tiles. Downloads have a test of their own. */
const pathsOf = ({ links }: Document) =>
  links
    .filter(({ rel }) => rel !== 'enclosure')
    .map(({ href }) => href.replace('{tileMatrix}/{tileRow}/{tileCol}', '0/0/0'))
    .filter((href) => href.startsWith(PUBLIC_URL))

const hasPythonValidator = hasPythonPackage('openapi_spec_validator')
const pythonTitle = hasPythonValidator ? 'openapi-spec-validator' : 'openapi-spec-validator (skipped: it is not installed)'
const VALIDATE = 'import json, sys; from openapi_spec_validator import validate; validate(json.load(sys.stdin))'

/** Returns the number of items of a collection and the errors that its schema finds in them. */
async function findInvalid(collection: string) {
  const schema = await read(`/ogc/collections/${collection}/schema/geojson`)
  const validate = addFormats.default(new Ajv2020({ strict: false, allErrors: true })).compile(schema)
  const { features } = await readItems(`/ogc/collections/${collection}/items`)
  return { count: features.length, errors: features.flatMap((feature) => (validate(feature) ? [] : [validate.errors])) }
}

describe('documents of /ogc', () => {
  it('link to each other and to items', async () => {
    const landing = await read('/ogc')
    const issues = await read('/ogc/collections/issues')
    const places = await read('/ogc/collections/places')
    const tileSet = await read('/ogc/collections/issues/tiles/WebMercatorQuad')

    const statuses = await Promise.all(
      [landing, issues, places, tileSet]
        .flatMap(pathsOf)
        .map(async (href) => [href, (await ask(href.replace(PUBLIC_URL, ''))).status]),
    )

    expect(landing.links.map(({ rel }) => rel)).toEqual(
      expect.arrayContaining(['self', 'service-desc', 'service-doc', 'conformance', 'data']),
    )
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
    expect(statuses.length).toBeGreaterThan(25)
  })

  it('list every document of tiles in the OpenAPI document', async () => {
    const { paths } = (await read('/ogc/api')) as unknown as {
      paths: Record<string, { get: { operationId: string; parameters: readonly { name?: string }[] } }>
    }

    const tilePaths = Object.keys(paths).filter((path) => /tile/i.test(path))
    const responses = await Promise.all(
      tilePaths.map(async (path) => {
        const { status } = await ask(`/ogc${path.replace('{tileMatrix}/{tileRow}/{tileCol}', '0/0/0')}`)
        return [path, status]
      }),
    )
    expect(responses).toHaveLength(6)
    expect(responses.filter(([, status]) => status !== 200)).toEqual([])
    const tile = paths['/collections/issues/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}']
    expect(tile?.get.parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['tileMatrix', 'f', 'status', 'place_url']))
  })

  it('describe collections with their coordinate reference systems', async () => {
    const { collections } = (await read('/ogc/collections')) as unknown as { collections: readonly object[] }

    expect(collections).toMatchObject([
      { id: 'issues', itemType: 'feature', storageCrs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' },
      { id: 'places' },
      { id: 'history' },
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
    const response = await ask('/ogc/api')
    const { openapi, paths, servers, components } = JSON.parse(response.text) as {
      openapi: string
      components: { parameters: object }
      servers: object
      paths: Record<string, { get: { operationId: string; parameters: readonly { name?: string; $ref?: string }[] } }>
    }

    const names = paths['/collections/issues/items']?.get.parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1))
    const ids = Object.values(paths).map(({ get }) => get.operationId)
    expect(response.headers['content-type']).toBe('application/vnd.oai.openapi+json;version=3.0')
    expect(openapi).toBe('3.0.3')
    expect(servers).toEqual([{ url: `${PUBLIC_URL}/ogc` }])
    expect(names).toEqual(expect.arrayContaining(['bbox', 'datetime', 'filter', 'place_url', 'search', 'status', 'rating_count']))
    expect(new Set(ids).size).toBe(ids.length)
    expect(components.parameters).toMatchObject({
      limit: { style: 'form', explode: false },
      datetime: { style: 'form', explode: false },
    })
  })

  it('include an OpenAPI document that is valid OpenAPI 3.0', async () => {
    const { text } = await ask('/ogc/api')

    const { valid, errors } = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)

    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  })

  it.skipIf(!hasPythonValidator)(`include an OpenAPI document that ${pythonTitle} accepts`, async () => {
    const { text } = await ask('/ogc/api')

    const { status, stderr } = spawnSync(python, ['-c', VALIDATE], { input: text, encoding: 'utf8' })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('describe features that the service returns', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ url_name: 'new-haven', around: GREEN })
    for (let n = 0; n < 48; n++) await app.create.issue({ reporter: ada, ...(n % 2 ? { address: '12 Elm' } : { at: GREEN }) })
    await app.create.issue({ status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })

    const issues = await findInvalid('issues')
    const places = await findInvalid('places')

    expect(issues).toEqual({ count: 49, errors: [] })
    expect(places).toEqual({ count: 1, errors: [] })
  })

  it('do not claim comparisons of two geometry properties', async () => {
    const { conformsTo } = await read('/ogc/conformance')

    expect((conformsTo as string[]).filter((uri) => uri.includes('property-property'))).toEqual([])
  })

  it('name the format in links of pages to other formats', async () => {
    const issue = await app.create.issue()
    const pages = ['', '/api', '/collections/issues', '/collections/issues/items', `/collections/issues/items/${issue}`]

    const links = (await Promise.all(pages.map((path) => ask(`/ogc${path}`, 'text/html')))).flatMap(({ text }) => [
      ...text.matchAll(/<li><a href="(\/ogc[^"]*)">[^<]*<\/a> <span class="quiet">([^<]*)</g),
    ])

    const withoutFormat = links.filter(([, href = '']) => !/[?&](?:amp;)?f=/.test(href))
    expect(links.length).toBeGreaterThan(20)
    expect(withoutFormat.map(([, href]) => href)).toEqual([])
  })

  it('show each id once, and link URLs of the service but none that users write', async () => {
    const issue = await app.create.issue({ summary: `${PUBLIC_URL}/written-by-a-user` })

    const list = await ask('/ogc/collections/issues/items?f=html')
    const one = await ask(`/ogc/collections/issues/items/${issue}?f=html`)

    const headings = [...list.text.matchAll(/<th scope="col">([^<]*)</g)].map(([, name]) => name)
    expect(headings.filter((name) => name === 'id')).toHaveLength(1)
    expect(new Set(headings).size).toBe(headings.length)
    expect(one.text).toContain(`<a href="${PUBLIC_URL}/issues/${issue}">`)
    expect(list.text).not.toContain('href="http://fixpoint.test/written-by-a-user"')
    expect(one.text).not.toContain('href="http://fixpoint.test/written-by-a-user"')
  })

  it.each([
    '',
    '/conformance',
    '/api',
    '/collections',
    '/collections/issues',
    '/collections/places/queryables',
    '/collections/issues/items',
    '/tiles',
    '/collections/issues/tiles',
    '/collections/issues/tiles/WebMercatorQuad',
    '/tileMatrixSets',
    '/tileMatrixSets/WebMercatorQuad',
  ])('show /ogc%s as a page that loads nothing from other hosts', async (path) => {
    const response = await ask(`/ogc${path}`, 'text/html')

    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    expect(response.text).toContain('<h1>')
  })

  it('have a map of the items of a page, or of the item', async () => {
    const { id: place } = await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    const open = await app.create.issue({ summary: 'Pothole', at: GREEN })
    await app.create.issue({ at: GREEN, status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })
    const paths = [`issues/items?status=open,closed`, 'places/items', `issues/items/${open}`, `places/items/${place}`]

    const pages = await Promise.all(paths.map((path) => ask(`/ogc/collections/${path}`, 'text/html')))

    const [issues, places, issue, area] = pages.map(({ text }) => text)
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const { headers } of pages) expect(headers['content-security-policy']).toContain("script-src 'self'")
    expect(issues).toContain('aria-label="Map of the 2 items of this page"')
    expect(issues).toMatch(/<path class="dots closed" d="M[\d. ]+h.1"\/>\s*<path class="dots open"/)
    expect(issues).toContain(`<tr data-issue="${open}" data-lng="${GREEN.lng}" data-lat="${GREEN.lat}">`)
    expect(places).toContain('aria-label="Map of the item of this page"')
    expect(places).toContain(`<a href="#area-${place}" aria-label="New Haven">`)
    expect(places).toContain(`<tr id="area-${place}"`)
    expect(issue).toContain('aria-label="Map of Pothole"')
    expect(issue).toContain('<g class="pin"')
    expect(area).toContain('aria-label="Map of New Haven"')
    expect(area).toContain('<path class="area"')
  })

  it('have no map without items', async () => {
    const { status, text } = await ask('/ogc/collections/issues/items', 'text/html')

    expect(status).toBe(200)
    expect(text).not.toContain('data-map')
  })

  it('have a map over the antimeridian', async () => {
    await app.create.issue({ at: { lng: 179.99, lat: -16.8 } })
    await app.create.issue({ at: { lng: -179.99, lat: -16.8 } })

    const { text } = await ask('/ogc/collections/issues/items', 'text/html')

    const config = JSON.parse(/data-map="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '') as { bounds: number[] }
    const [west = 0, , east = 0] = config.bounds
    expect(west).toBeGreaterThan(179)
    expect(east).toBeLessThan(181)
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
