import { describe, expect, it } from 'vitest'

import { importInto, organization, requestType } from '../imports/organization-values.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const forwarding = {
  endpoint: 'https://311.example.org/open311/v2/',
  jurisdiction_id: 'example.org',
  api_key: 'first-key',
  service_codes: { pothole: '001' },
}
const load = (settings: unknown, more: object = {}) =>
  importInto(app.db)([
    organization({ request_types: [requestType('Pothole'), requestType('Graffiti')], forwarding: settings, ...more }),
  ])
const stored = () => app.db.prisma.forwardingEndpoint.findFirst()
const codes = async () =>
  (await app.db.prisma.forwardingServiceCode.findMany({ include: { request_type: true } })).map(
    ({ service_code, request_type }) => `${request_type.title}: ${service_code}`,
  )
const errors = (settings: unknown) =>
  load(settings).then(
    () => [],
    (error: unknown) =>
      (error as Error).message
        .split('\n')
        .slice(1)
        .map((line) => line.trim().replace('organizations[0].', '')),
  )

describe('the key forwarding of an organisation in a file', () => {
  it('sets the endpoint with its defaults, and the report never contains the key', async () => {
    const report = await load(forwarding)

    expect(await stored()).toMatchObject({
      ...{ url: 'https://311.example.org/open311/v2', jurisdiction_id: 'example.org', api_key: 'first-key', format: 'json' },
      ...{ sends_reports: true, sends_updates: false, receives_updates: false, extended_statuses: false, shared: [] },
      ...{ default_service_code: null, receiver_email: null },
    })
    expect(await codes()).toEqual(['Pothole: 001'])
    expect(JSON.stringify(report)).not.toContain('first-key')
  })

  it('changes nothing if it is the same, or missing', async () => {
    await load(forwarding)
    const before = await stored()

    const reports = [await load(forwarding), await load(undefined)]

    expect(reports.map(({ organizations }) => organizations.unchanged)).toEqual([1, 1])
    expect(await stored()).toEqual(before)
    expect(await codes()).toEqual(['Pothole: 001'])
  })

  it('keeps the stored key without a new one, but never for another address', async () => {
    const { api_key: _, ...keyless } = forwarding
    await load(forwarding)

    const { organizations } = await load({ ...keyless, send_updates: true, service_codes: { Graffiti: '002' } })
    expect(organizations.changed).toBe(1)
    expect([(await stored())?.api_key, await codes()]).toEqual(['first-key', ['Graffiti: 002']])

    await load({ ...keyless, endpoint: 'https://other.example.org/open311/v2' })
    expect((await stored())?.api_key).toBeNull()
  })

  it('names a receiver who is no member with a confirmed address', async () => {
    const { email } = await app.create.user()
    const settings = { ...forwarding, receive_updates: true, receiver: email }

    const reports = [await load(settings), await load(settings, { members: [{ email, role: 'employee' }] })]

    expect(reports.map(({ missingReceivers }) => missingReceivers)).toEqual([[email], []])
  })

  it('removes the endpoint if it is false', async () => {
    await load(forwarding)

    const { organizations } = await load(false)

    expect([organizations.changed, await stored(), await codes()]).toEqual([1, null, []])
  })

  it('names each error by its path and changes nothing', async () => {
    expect(
      await errors({
        ...{ ...forwarding, format: 'csv', share: ['names', 'phones'], receiver: 'Ada', send_reports: 'yes' },
        service_codes: { Pothole: '' },
      }),
    ).toEqual([
      'forwarding.format must be one of json, xml',
      'forwarding.service_codes.Pothole must not be blank',
      'forwarding.send_reports must be true or false',
      'forwarding.share[1] must be one of names, emails, anonymous_reporters, private_answers',
      'forwarding.receiver must be an e-mail address',
    ])
    for (const endpoint of ['ftp://311.example.org', 'https://user:word@311.example.org/?a=1'])
      expect(await errors({ endpoint, receive_updates: true })).toEqual([
        'forwarding.endpoint must be an http or https address without user, password, query and fragment',
        'forwarding.receiver is missing: it is the member whose name received updates have',
        'forwarding must have service_codes or a default_service_code: without them, no report is sent',
      ])
    expect(await errors({ default_service_code: '1' })).toEqual(['forwarding.endpoint is missing'])
    expect(await errors({ ...forwarding, service_codes: { Pothole: '1', Litter: '2' } })).toEqual([
      'forwarding.service_codes.Litter is no request type of the organisation',
    ])
    expect(await errors('yes')).toEqual(['forwarding must be an object, or false for none'])
    expect(await stored()).toBeNull()
  })
})
