import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { renderXml } from '../../src/open311/formats/send.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { names } from '../../src/open311/requests/query.ts'
import { createCity } from './city.ts'
import { asContent, createReader, readXml } from './reader.ts'
import { findViolations, type Root } from './schemas.ts'

const app = useApp({ keepRows: true })
const { ask } = createReader(app)

beforeAll(() => createCity(app))

const valid = fc.record(
  {
    status: fc.constantFrom('open', 'closed', 'open,closed', 'Closed', ''),
    service_code: fc.constantFrom('1', 'other', '1,other'),
    q: fc.constantFrom('hole', 'spaces', 'nothing'),
    page: fc.constantFrom('1', '2'),
    page_size: fc.constantFrom('1', '7', '100'),
    extensions: fc.constantFrom('true', 'false'),
    bbox: fc.constantFrom('-73,41,-72,42', '170,-10,-72.92,42'),
    updated_after: fc.constant('2026-01-01T00:00:00Z'),
  },
  { requiredKeys: [] },
)
const anyValue = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('-1', '0', '1e999', 'NaN', '99999999999', '2026-02-30', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '1,1,1'),
)
const anyQuery = fc.array(fc.tuple(fc.constantFrom(...names, 'jurisdiction_id', 'other'), anyValue), { maxLength: 4 })

const rootOf = (path: string, status: number): Root => {
  if (status !== 200) return 'errors'
  return path.includes('/requests') ? 'service_requests' : /services\/./.test(path) ? 'service_definition' : 'services'
}

/** Asks for both formats, checks the schema and that both have the same content, and returns the status. */
async function compareFormats(path: string, query: string): Promise<number> {
  const [json, xml] = [await ask(`${path}.json${query}`), await ask(`${path}.xml${query}`)]
  const root = rootOf(path, json.status)
  expect(xml.status).toBe(json.status)
  expect([json.headers['content-type'], xml.headers['content-type']]).toEqual([
    'application/json; charset=utf-8',
    'text/xml; charset=utf-8',
  ])
  expect(findViolations(root, JSON.parse(json.text))).toEqual([])
  expect(readXml(xml.text)).toEqual({ root, content: asContent(JSON.parse(json.text)) })
  return json.status
}

describe('JSON and XML', () => {
  it('have the same content, which the schemas of GeoReport v2 allow, for any filter', async () => {
    await fc.assert(
      fc.asyncProperty(valid, async (parameters) => {
        expect(await compareFormats('/requests', `?${new URLSearchParams(parameters as Record<string, string>)}`)).toBe(200)
      }),
      runs(40),
    )
  })

  it.each(['/services', '/1/services', '/services/1', '/services/other', '/requests/1', '/requests/4', '/1/requests'])(
    'have the same content at %s',
    async (path) => {
      expect(await compareFormats(path, '?extensions=true')).toBe(200)
    },
  )

  it('have the same errors for random parameters and paths, never a 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyQuery,
        fc.constantFrom('/requests', '/1/requests', '/services', '/services/1', '/requests/1'),
        async (query, path) => {
          const status = await compareFormats(path, `?${new URLSearchParams(query)}`)
          expect([200, 400, 404]).toContain(status)
        },
      ),
      runs(60),
    )
  })

  it('have the same content for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (description) => {
        const xml = renderXml({ root: 'errors', value: [{ code: 400, description }] })
        expect(readXml(xml).content).toEqual([{ code: '400', description: (asContent(description) as string).toWellFormed() }])
      }),
      runs(200),
    )
  })
})
