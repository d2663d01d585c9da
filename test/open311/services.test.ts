import { describe, expect, it } from 'vitest'

import { createReportTokens } from '../../src/open311/tokens/routes.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader, readXml, V2 } from './reader.ts'

// An app caches the key that signs tokens, which other files delete.
const app = useApp({ ownApp: true })
const { ask } = createReader(app)
const codesOf = async (path: string) =>
  ((await ask(path)).body as { service_code: string }[]).map(({ service_code }) => service_code)
const at = ({ lat, lng }: typeof GREEN) => `?lat=${lat}&long=${lng}`

describe('GET services', () => {
  it('returns all request types, of one organisation, or at a point', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    const hole = await app.create.requestType({ title: 'Hole', organization, category: 'pothole' })
    const garden = await app.create.requestType({ title: 'Garden' })

    const { body } = await ask('/services.json')

    expect((body as object[])[0]).toEqual({
      service_code: String(hole),
      service_name: 'Hole',
      description: 'Reports go to Roads.',
      metadata: false,
      type: 'realtime',
      keywords: expect.stringMatching(/^pothole, /),
      group: 'pothole',
    })
    expect(await codesOf('/services')).toEqual([String(hole), String(garden), 'other'])
    expect(await codesOf(`/services.json${at(FAR_AWAY)}`)).toEqual([String(garden), 'other'])
    for (const path of [
      `/${organization}/services`,
      `/services?jurisdiction_id=${organization}`,
      '/services?jurisdiction_id=roads',
    ])
      expect(await codesOf(path)).toEqual([String(hole)])
    expect((await ask(`/services/${hole}.json${at(FAR_AWAY)}`)).status).toBe(404)
    expect((await ask(`/services/${hole}.json${at(GREEN)}`)).status).toBe(200)
    expect((await ask(`/${organization}/services/${garden}.json`)).status).toBe(404)
    for (const path of [
      '/999/services.json',
      '/services.json?jurisdiction_id=Parks',
      `/${organization}/services?jurisdiction_id=999`,
    ])
      expect((await ask(path)).body).toEqual([
        { code: 404, description: 'The organisation of this address or jurisdiction_id was not found.' },
      ])
  })

  it('chooses the format by the suffix, else by Accept, else JSON', async () => {
    const typeOf = async (path: string, accept?: string) =>
      String((await ask(path, accept === undefined ? {} : { accept })).headers['content-type'])

    expect(await typeOf('/services')).toMatch(/json/)
    expect(await typeOf('/services', 'text/xml')).toBe('text/xml; charset=utf-8')
    expect(await typeOf('/services', 'application/xml, application/json;q=0.5')).toBe('text/xml; charset=utf-8')
    expect(await typeOf('/services.json', 'text/xml')).toBe('application/json; charset=utf-8')
    expect(await typeOf('/nothing.xml')).toBe('text/xml; charset=utf-8')
    expect((await app.as.anonymous.send('POST', `${V2}/services.xml`)).headers).toMatchObject({
      'content-type': 'text/xml; charset=utf-8',
      allow: 'GET, HEAD',
    })
    expect((await ask('/services.json', { origin: 'https://elsewhere.example' })).headers['access-control-allow-origin']).toBe('*')
  })
})

describe('GET a service definition', () => {
  it('returns the questions that are not built in', async () => {
    const type = await app.create.requestType({
      questions: [
        { built_in: 'summary', question: 'What?', question_type: 'text', response_required: true },
        { question: 'Call 911 in an emergency.', question_type: 'note' },
        {
          question: 'Which kind?',
          question_type: 'multivaluelist',
          select_values: [{ key: 'a', name: 'A' }],
          response_required: true,
        },
        { question: 'Your telephone?', question_type: 'text', answer_kept_private: true },
      ],
    })

    const { body } = await ask(`/services/${type}.json`)

    const attribute = {
      variable: true,
      code: expect.stringMatching(/^\d+$/),
      required: false,
      datatype_description: null,
      values: [],
    }
    expect(body).toEqual({
      service_code: String(type),
      attributes: [
        { ...attribute, variable: false, datatype: 'text', order: 1, description: 'Call 911 in an emergency.' },
        {
          ...attribute,
          ...{ datatype: 'multivaluelist', order: 2, required: true, description: 'Which kind?' },
          values: [{ key: 'a', name: 'A' }],
        },
        {
          ...attribute,
          ...{ datatype: 'string', order: 3, description: 'Your telephone?' },
          datatype_description: 'Only the staff of the organisation sees the answer.',
        },
      ],
    })
  })
})

describe('GET the definition of an inactive service', () => {
  it('returns it at each address of its organisation, because older service requests have its code', async () => {
    const [roads, parks] = [await app.create.organization({ name: 'Roads' }), await app.create.organization({ name: 'Parks' })]
    const type = await app.create.requestType({
      organization: roads,
      questions: [{ question: 'How deep?', question_type: 'number' }],
    })
    await app.db.prisma.requestType.update({ where: { id: type }, data: { active: false } })
    const { text } = await ask(`/services/${type}.json`)

    expect(text).toContain('How deep?')
    for (const path of [`/${roads}/services/${type}.json`, `/services/${type}?jurisdiction_id=${roads}`])
      expect(await ask(path)).toMatchObject({ status: 200, text })
    for (const path of [`/${parks}/services/${type}`, `/services/${type}${at(GREEN)}`]) expect((await ask(path)).status).toBe(404)
  })
})

describe('GET the service_request_id of a token', () => {
  it('returns null until the report is public, and 404 after its rejection and for other tokens', async () => {
    const issue = await app.create.issue({ moderation_state: 'held' })
    const token = await createReportTokens(app.db).create(issue)
    const set = (moderation_state: 'passed' | 'rejected') =>
      app.db.prisma.issue.update({ where: { id: issue }, data: { moderation_state } })

    expect((await ask(`/tokens/${token}.json`)).body).toEqual([{ service_request_id: null, token }])
    await set('passed')
    expect((await ask(`/tokens/${token}.json`)).body).toEqual([{ service_request_id: String(issue), token }])
    expect(readXml((await ask(`/tokens/${token}.xml`)).text)).toEqual({
      root: 'service_requests',
      content: [{ service_request_id: String(issue), token }],
    })
    const others = [`${issue}-${'x'.repeat(22)}`, 'x'.repeat(32), (token.startsWith('x') ? 'y' : 'x') + token.slice(1)]
    for (const other of others) expect((await ask(`/tokens/${other}.json`)).status).toBe(404)
    await set('rejected')
    expect((await ask(`/tokens/${token}.json`)).status).toBe(404)
  })

  it('does not reveal the id by the token, which is the same each time', async () => {
    const { create } = createReportTokens(app.db)

    const [token, same, next] = [
      await create(2_000_012_345),
      await createReportTokens(app.db).create(2_000_012_345),
      await create(2_000_012_346),
    ]

    expect(same).toBe(token)
    expect(token).toMatch(/^[\w-]{32}$/)
    expect(token).not.toContain('2000012345')
    // Tokens of neighbours have as much in common as random texts.
    expect([...token].filter((character, index) => character === next[index]).length).toBeLessThan(8)
  })
})

describe('GET /open311/discovery', () => {
  it('names the endpoints of the whole service and of each organisation', async () => {
    const organization = await app.create.organization({ name: 'Roads' })

    const [json, xml] = [
      await app.as.anonymous.send('GET', '/open311/discovery.json'),
      await app.as.anonymous.send('GET', '/open311/discovery.xml'),
    ]

    expect([json.headers['content-type'], xml.headers['content-type']]).toEqual(['application/json', 'text/xml'])
    const endpoint = {
      specification: 'http://wiki.open311.org/GeoReport_v2',
      changeset: expect.stringMatching(/Z$/),
      type: 'production',
      formats: ['text/xml', 'application/json'],
    }
    const endpointAt = (path: string) => ({
      url: `${PUBLIC_URL}/open311/v2${path}`,
      service_area_url: `${PUBLIC_URL}/open311/v2${path}/areas.geojson`,
    })
    expect(json.body).toEqual({
      changeset: expect.stringMatching(/Z$/),
      contact: `See ${PUBLIC_URL}/about`,
      key_service: `Log in and create a token at ${PUBLIC_URL}/account/tokens. Reading needs no key.`,
      endpoints: [
        { ...endpoint, ...endpointAt(''), jurisdiction_id: null },
        { ...endpoint, ...endpointAt(`/${organization}`), jurisdiction_id: 'Roads' },
      ],
    })
    expect(readXml(xml.text)).toMatchObject({ root: 'discovery', content: { endpoints: [{ formats: endpoint.formats }, {}] } })
  })

  it('is what each endpoint has at its own address, with its own entry', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    const { body, text } = await app.as.anonymous.send('GET', '/open311/discovery.json')
    const [whole, roads] = (body as { endpoints: { url: string }[] }).endpoints

    expect((await ask('')).text).toBe(text)
    expect([whole?.url, roads?.url]).toEqual([`${PUBLIC_URL}${V2}`, `${PUBLIC_URL}${V2}/${organization}`])
    expect((await ask(`/${organization}`)).body).toEqual({ ...(body as object), endpoints: [roads] })
    expect(readXml((await ask(`/${organization}`, { accept: 'text/xml' })).text).root).toBe('discovery')
    for (const path of ['/999', '/nothing', '?jurisdiction_id=999']) expect((await ask(path)).status).toBe(404)
  })
})
