import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { createReader, V2 } from './reader.ts'

const app = useApp()
const { ask } = createReader(app)
const PATH = '/bulk/requests.csv'
/** The specification has this line as its example: https://wiki.open311.org/GeoReport/bulk */
const fields =
  '"service_request_id","requested_datetime","updated_datetime","closed_date","status_description","status_notes","source","service_name","service_subtype","description","agency_responsible","address","lat","long"'

const readRows = async (query = '', root = '') => {
  const { text, status } = await ask(`${root}${PATH}${query}`)
  if (status !== 200) throw new Error(`${query}: ${status} ${text}`)
  return parse<Record<string, string>>(text, { columns: true })
}
const readIds = async (query: string, root = '') =>
  (await readRows(query, root)).map(({ service_request_id }) => Number(service_request_id))

describe('GET bulk/requests.csv', () => {
  it('returns the fields of GeoReport Bulk in their order, sorted by id, safe against formulas', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    const type = await app.create.requestType({ title: 'Hole', organization })
    const closed = await app.create.issue({
      ...{ summary: '=1+1', description: 'Deep, and "wide".\nBy the school.', address: '250 Church St', request_type: type },
      ...{ status: 'Closed', created_at: '2019-11-20T09:30:00.500Z', updated_at: '2019-11-21T10:00:00Z' },
      closed_at: '2019-11-22T00:00:00Z',
    })
    const reopened = await app.create.issue({
      summary: 'Lamp',
      reopened_at: '2026-01-03T00:00:00Z',
      closed_at: '2026-01-02T00:00:00Z',
    })

    const { text, headers } = await ask(PATH)

    expect(text).toBe(
      [
        fields.replaceAll('"', ''),
        `${closed},2019-11-20T09:30:00Z,2019-11-22T00:00:00Z,2019-11-22T00:00:00Z,Closed,Closed,,Hole,,"'=1+1\n\nDeep, and ""wide"".\nBy the school.",Roads,250 Church St,${GREEN.lat},${GREEN.lng}`,
        `${reopened},2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,,Open,Open,,Other,,Lamp,,,${GREEN.lat},${GREEN.lng}`,
        '',
      ].join('\r\n'),
    )
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(/^attachment; filename="service-requests-\d{4}-\d\d-\d\d\.csv"$/),
      'x-total-count': '2',
      'x-changes-cursor': expect.stringMatching(/./),
      link: expect.stringMatching(/rel="license", .* rel="author"/),
    })
  })

  it('returns all service requests of any age, and with the filters of requests those that they select', async () => {
    const organization = await app.create.organization()
    const type = await app.create.requestType({ organization })
    const old = await app.create.issue({ status: 'Archived', created_at: '2012-05-01T12:00:00Z' })
    const lamp = await app.create.issue({ summary: 'Lamp', created_at: '2020-05-01T00:00:00Z' })
    const typed = await app.create.issue({ request_type: type, created_at: '2026-01-01T00:00:00Z' })
    const far = await app.create.issue({ at: FAR_AWAY, status: 'Closed', closed_at: '2026-01-01T00:00:00Z' })
    await app.create.issue({ moderation_state: 'held', summary: 'Pending' })
    await app.create.issue({ moderation_state: 'rejected', summary: 'Rejected' })

    expect(await readIds('')).toEqual([old, lamp, typed, far])
    expect(await readIds('?status=open')).toEqual([lamp, typed])
    expect(await readIds('?start_date=2010-01-01&end_date=2020-05-01')).toEqual([old, lamp])
    expect(await readIds('?updated_after=2020-01-01&updated_before=2025-01-01')).toEqual([lamp])
    expect(await readIds(`?updated_after=${new Date(Date.now() - 86_400_000).toISOString()}`)).toEqual([old, lamp, typed, far])
    expect(await readIds(`?service_code=${type},other&q=lamp`)).toEqual([lamp])
    expect(await readIds(`?service_code[]=${type}&service_code[]=other&q=lamp`)).toEqual([lamp])
    expect(await readIds(`?bbox=${FAR_AWAY.lng - 1},${FAR_AWAY.lat - 1},${FAR_AWAY.lng + 1},${FAR_AWAY.lat + 1}`)).toEqual([far])
    expect(await readIds(`?lat=${GREEN.lat}&long=${GREEN.lng}&radius=100&after_id=${lamp}`)).toEqual([typed])
    expect(await readIds('', `/${organization}`)).toEqual([typed])
    expect(await readIds(`?jurisdiction_id=${organization}`)).toEqual([typed])
  })

  it('returns the same values as requests', async () => {
    for (let n = 0; n < 12; n++) {
      const status = (['Open', 'Acknowledged', 'Closed', 'Archived'] as const)[n % 4] ?? 'Open'
      const closed_at = n % 4 >= 2 ? '2026-11-02T00:00:00Z' : null
      const description = 'ü'.repeat((n * 997) % 9_000)
      await app.create.issue({ status, closed_at, description, created_at: '2026-11-01T00:00:00Z' })
    }

    const rows = await readRows()

    const requests = (await ask('/requests.json?start_date=2026-11-01')).body as Record<string, string | number | null>[]
    const byId = new Map(requests.map((request) => [request['service_request_id'], request]))
    for (const { closed_date: _c, status_description, source: _s, service_subtype: _t, ...row } of rows) {
      const request = byId.get(row['service_request_id'])
      const expected = Object.fromEntries(Object.keys(row).map((name) => [name, String(request?.[name] ?? '')]))
      expect(row).toEqual(expected)
      expect(status_description).toBe(request?.['status_notes'])
    }
    expect(rows).toHaveLength(12)
  })

  it.each([
    ['?page=2', 'page: is not available in bulk downloads, which have no pages and contain all service requests of their filters'],
    [
      '?service_request_id=1',
      'service_request_id: is not available in bulk downloads, which have no pages and contain all service requests of their filters',
    ],
    ['?status=nonsense', 'status: must be a comma-separated list of open, closed'],
    ['?start_date=yesterday', expect.stringMatching(/^start_date: /)],
    ['?after_id=x', expect.stringMatching(/^after_id: /)],
  ])('refuses %s with 400', async (query, description) => {
    const { status, body } = await ask(`${PATH}${query}`)

    expect([status, body]).toEqual([400, [{ code: 400, description }]])
  })

  it('is sent compressed, and without content for HEAD', async () => {
    await app.create.issue()

    const { rawPayload, headers } = await app.fastify.inject({ url: `${V2}${PATH}`, headers: { 'accept-encoding': 'gzip' } })
    const head = await app.as.anonymous.send('HEAD', `${V2}${PATH}`)

    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(rawPayload).toString()).toBe((await ask(PATH)).text)
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('obeys EXPORTS, with the errors of GeoReport v2', async () => {
    const { token } = await app.create.user()
    const statuses = async (exports: string) => {
      const { anonymous } = await appOn(app.db, { EXPORTS: exports })
      const answers = [await anonymous.send('GET', `${V2}${PATH}`)]
      answers.push(await anonymous.send('GET', `${V2}${PATH}`, { headers: bearer(token) }))
      return answers.map(({ status, body }) => (status === 200 ? 200 : (body as { code: number }[])[0]?.code))
    }

    expect(await statuses('open')).toEqual([200, 200])
    expect(await statuses('token')).toEqual([403, 200])
    expect(await statuses('off')).toEqual([403, 403])
  })
})
