import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { GREEN, square } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../../http/app-on.ts'

const app = useApp()

interface Node {
  readonly '@type'?: string
  readonly [name: string]: unknown
}

/** The properties that DCAT 3 (W3C, 2024) lists for a class, with those of its superclasses. */
const resource = [
  ...['title', 'description', 'identifier', 'license', 'publisher', 'modified', 'accessRights', 'conformsTo'].map(
    (name) => `dcterms:${name}`,
  ),
  ...['dcat:contactPoint', 'dcat:landingPage', 'dcat:keyword', 'foaf:page'],
]
const dataset = [...resource, 'dcat:distribution', 'dcterms:accrualPeriodicity', 'dcterms:spatial', 'dcterms:temporal']
const vocabulary: Readonly<Record<string, readonly string[]>> = {
  'dcat:Catalog': [...dataset, '@context', 'dcat:dataset', 'dcat:service', 'foaf:homepage'],
  'dcat:Dataset': dataset,
  'dcat:DataService': [...resource, 'dcat:endpointURL', 'dcat:endpointDescription', 'dcat:servesDataset'],
  'dcat:Distribution': [
    ...['dcterms:title', 'dcterms:license', 'dcterms:format'],
    ...['dcat:accessURL', 'dcat:downloadURL', 'dcat:mediaType'],
  ],
  'dcterms:Location': ['dcat:bbox'],
  'dcterms:PeriodOfTime': ['dcat:startDate', 'dcat:endDate'],
  'dcterms:MediaTypeOrExtent': ['rdfs:label'],
  'dcterms:RightsStatement': ['rdfs:label'],
  'foaf:Agent': ['foaf:name'],
  'vcard:Kind': ['vcard:fn', 'vcard:hasEmail'],
}

/** Returns all nodes with a class. */
function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.hasOwn(value, '@type') && !Object.hasOwn(value, '@value') ? [value as Node] : []
  return [...own, ...Object.values(value).flatMap(nodesIn)]
}

const unknownProperties = (catalog: unknown) =>
  nodesIn(catalog).flatMap((node) =>
    Object.keys(node).filter((name) => !['@id', '@type'].includes(name) && !vocabulary[node['@type'] ?? '']?.includes(name)),
  )

async function read(fastify = app.fastify) {
  const { status, headers, text } = await createBrowser(fastify).get('/data/catalog.jsonld')
  return { status, type: headers['content-type'], catalog: JSON.parse(text) as Node & { 'dcat:dataset': Node[] } }
}

describe('GET /data/catalog.jsonld', () => {
  it('describes the tables with the classes and properties of DCAT 3', async () => {
    await app.create.place({ boundary: square(GREEN, 0.02) })
    await app.create.issue({ created_at: '2026-01-02T03:04:05Z', updated_at: '2026-02-03T04:05:06Z' })

    const { status, type, catalog } = await read()

    const [issues] = catalog['dcat:dataset']
    const distributions = issues?.['dcat:distribution'] as readonly Readonly<Record<string, { readonly '@id': string }>>[]
    expect([status, type]).toEqual([200, 'application/ld+json; charset=utf-8'])
    expect(unknownProperties(catalog)).toEqual([])
    expect(catalog['dcat:dataset'].map((one) => one['@id'])).toEqual(
      ['issues', 'history', 'places'].map((name) => `http://fixpoint.test/data/catalog.jsonld#${name}`),
    )
    expect(issues?.['dcterms:temporal']).toMatchObject({
      'dcat:startDate': { '@type': 'xsd:dateTime', '@value': '2026-01-02T03:04:05Z' },
    })
    expect(JSON.stringify(issues?.['dcterms:spatial'])).toMatch(/POLYGON\(\((-?[\d.]+ -?[\d.]+(, )?){5}\)\)/)
    expect(distributions.find((one) => one['dcat:downloadURL']?.['@id'].endsWith('.csv'))).toMatchObject({
      'dcat:mediaType': { '@id': 'https://www.iana.org/assignments/media-types/text/csv' },
      'dcat:accessURL': { '@id': 'http://fixpoint.test/data?data=issues' },
    })
  })

  it('names the operator, and has no files that EXPORTS refuses', async () => {
    const { fastify } = await appOn(app.db, { EXPORTS: 'off', CONTACT: 'City Hall <city@example.org>' })

    const { catalog } = await read(fastify)

    const text = JSON.stringify(catalog)
    expect(unknownProperties(catalog)).toEqual([])
    expect(text).not.toContain('/exports/')
    expect(text).toContain('"vcard:hasEmail":{"@id":"mailto:city@example.org"}')
  })

  it('is linked from the head of /data', async () => {
    const { text } = await createBrowser(app.fastify).get('/data')

    expect(text).toContain('<link rel="alternate" type="application/ld+json"')
  })
})
