import { beforeEach, describe, expect, it } from 'vitest'

import { apiPrefix } from '../../src/http/request/urls.ts'
import type { TestUser } from '../helpers/factories.ts'
import { formFields } from '../helpers/form-fields.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { importInto, organization, requestType } from '../imports/organization-values.ts'

const app = useApp()
const KEY = 'a-key-that-no-answer-has'
const document = {
  ...{ endpoint: 'https://311.example.org/open311/v2/', jurisdiction_id: 'example.org', api_key: KEY },
  ...{ service_codes: { 'St. light': '001' }, send_updates: true, share: ['names'] },
}
const shown = {
  ...{ endpoint: 'https://311.example.org/open311/v2', jurisdiction_id: 'example.org', api_key_set: true, format: 'json' },
  ...{ service_codes: { 'St. light': '001' }, default_service_code: null, send_reports: true, send_updates: true },
  ...{ receive_updates: false, extended_statuses: false, share: ['names'], receiver: null },
}
let [roads, path] = [0, '']
let owner: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  path = `/organizations/${roads}`
  owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
  await app.create.requestType({ organization: roads, title: 'St. light' })
})

const put = (forwarding: unknown, version = '*') =>
  app.as.user(owner).send('PUT', `${apiPrefix}${path}`, { body: { forwarding }, headers: { 'if-match': version } })
const read = async (user = owner) =>
  ((await app.as.user(user).get(path)).body as { settings: { forwarding?: unknown } | null }).settings?.forwarding
const endpoint = (organization_id = roads) => app.db.prisma.forwardingEndpoint.findUnique({ where: { organization_id } })

describe('forwarding in PUT /organizations/:id', () => {
  it('is stored as from the organisation file, and shown without the key to those who may change it', async () => {
    const manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
    await importInto(app.db)([organization({ request_types: [requestType('St. light')], forwarding: document })])
    const before = await read()

    const changed = await put(document)

    expect([before, changed.status, await read()]).toEqual([null, 200, shown])
    expect([await read(manager), (await app.as.anonymous.get(path)).body]).toMatchObject([undefined, { settings: null }])
    expect(JSON.stringify(changed)).not.toContain(KEY)
    const [imported, own] = await app.db.prisma.forwardingEndpoint.findMany({
      omit: {
        organization_id: true,
        created_at: true,
        updated_at: true,
        poll_due_at: true,
        updates_read_until: true,
        looked_back_at: true,
      },
    })
    expect(own).toEqual(imported)
  })

  it('keeps the key of the same address, also for the answer of the GET, and is removed by null', async () => {
    await put(document)

    const answers = [await put(await read()), await read()]
    await put({ ...shown, endpoint: 'https://other.example.org' })
    const moved = await endpoint()

    expect(answers).toMatchObject([{ status: 200 }, shown])
    expect(moved).toMatchObject({ url: 'https://other.example.org', api_key: null })
    expect([(await put(null)).status, await endpoint()]).toEqual([200, null])
  })

  it.each([
    ['no object', 'off', { forwarding: 'must be an object' }],
    ['no endpoint', { default_service_code: '1' }, { 'forwarding.endpoint': 'is missing' }],
    ['an unknown key', { ...document, send: true }, { 'forwarding.send': 'is unknown' }],
    [
      'an unknown title',
      { ...document, service_codes: { 'Street light': '1' } },
      { 'forwarding.service_codes': 'Street light is no request type of the organisation' },
    ],
    ['an unknown format', { ...document, format: 'csv' }, { 'forwarding.format': 'must be one of json, xml' }],
    [
      'updates without a receiver',
      { ...document, receive_updates: true },
      { 'forwarding.receiver': 'is missing: it is the member whose name received updates have' },
    ],
  ])('is 422 for %s and changes nothing', async (_, forwarding, errors) => {
    await put(document)
    const before = await endpoint()

    const answer = await put(forwarding)

    expect([answer.status, Object.keys(answer.body as object)]).toEqual([422, Object.keys(errors)])
    expect(JSON.stringify(answer.body)).toContain(Object.values(errors)[0])
    expect([await endpoint(), await read()]).toEqual([before, shown])
  })

  it('is part of the version of the settings, and not of the ETag of others', async () => {
    const etag = async (as: { get: typeof app.as.anonymous.get }) => String((await as.get(path)).headers['etag'])
    const [own, open] = [await etag(app.as.user(owner)), await etag(app.as.anonymous)]

    const answers = [await put(document, own), await put(null, own)]

    expect(answers.map(({ status }) => status)).toEqual([200, 412])
    expect(await etag(app.as.anonymous)).toBe(open)
  })

  it('has another version after a new key, by API and on the page', async () => {
    await put(document)
    const { api_key: _, ...settings } = document
    const tag = String((await app.as.user(owner).get(path)).headers['etag'])
    const browser = await createLoggedInBrowser(app, owner)
    const form = formFields((await browser.get(`${path}/manage/forwarding`)).text)

    const answers = [await put({ ...settings, api_key: 'first' }, tag), await put({ ...settings, api_key: 'second' }, tag)]
    const page = await browser.post(`${path}/manage/forwarding`, { ...form, 'forwarding.api_key': 'third' })

    expect([...answers.map(({ status }) => status), page.status]).toEqual([200, 412, 422])
    expect((await endpoint())?.api_key).toBe('first')
  })
})

describe('the page of forwarding', () => {
  it('stores what the API stores, says whether a key is set and never shows it', async () => {
    const browser = await createLoggedInBrowser(app, owner)
    const page = `${path}/manage/forwarding`
    const [type] = await app.db.prisma.requestType.findMany({ where: { organization_id: roads } })
    const sent = {
      ...{ 'forwarding.endpoint': document.endpoint, 'forwarding.jurisdiction_id': 'example.org', 'forwarding.api_key': KEY },
      ...{ [`forwarding.service_codes.${type?.id}`]: '001', 'forwarding.send_updates': 'true', 'forwarding.share[]': 'names' },
    }
    const empty = formFields((await browser.get(page)).text)

    const refused = await browser.post(page, { ...empty, ...sent, 'forwarding.endpoint': 'ftp://311.example.org' })
    const saved = await browser.post(page, { ...empty, ...sent })
    const after = await browser.get(page)

    expect(refused.visibleText).toContain('Must be an http or https address')
    expect([saved.status, await read()]).toEqual([303, shown])
    expect([refused, saved, after].filter(({ text }) => text.includes(KEY))).toEqual([])
    expect(after.visibleText).toContain('A key is stored.')
    expect((await endpoint())?.api_key).toBe(KEY)
    const stale = { ...formFields(after.text), version: empty['version'] ?? '' }
    expect((await browser.post(page, stale)).visibleText).toContain('has changed')
    expect((await browser.post(page, { ...formFields(after.text), 'forwarding.endpoint': '' })).status).toBe(303)
    expect(await endpoint()).toBe(null)
  })
})
