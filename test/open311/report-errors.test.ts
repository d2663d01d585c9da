import { describe, expect, it } from 'vitest'

import { FAR_AWAY } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createService } from './report-service.ts'
import { createWriter, hole } from './writer.ts'

const app = useApp()
const { post } = createWriter(() => app.as.anonymous)

describe('POST requests', () => {
  it.each([
    ['without a service', { service_code: '' }, 'service_code: must not be blank'],
    ['without a location', { lat: '', long: '' }, 'lat: is required: send lat and long, or address_string'],
    ['with half a location', { long: '' }, 'long: is required together with lat'],
    ['with a location that is none', { lat: '91' }, 'lat: must be a number from -90 to 90'],
    [
      'with an address only',
      { lat: '', long: '', address_string: '1 Elm St' },
      'address_string: is not geocoded here: send lat and long as well',
    ],
    [
      'with an address id only',
      { lat: '', long: '', address_id: '7' },
      'address_id: is stored but gives no location here: send lat and long as well, or address_string',
    ],
    ['without a description', { description: ' ' }, 'description: must not be blank'],
    ['with a long description', { description: 'x'.repeat(4_001) }, 'description: must not have more than 4000 characters'],
    ['with a NUL', { description: 'a\0b' }, 'description: must not contain the character U+0000'],
    ['with a wrong e-mail address', { email: 'ada' }, 'email: must be an e-mail address'],
    [
      'with a link to a picture',
      { media_url: 'https://example.org/a.jpg' },
      'media_url: is not fetched: send the picture as media in a multipart/form-data request',
    ],
    ['with text as media', { media: 'a.jpg' }, 'media: must be a file, sent as multipart/form-data'],
    ['with attributes without a code', { attribute: '7' }, 'attribute: must be sent as attribute[code]'],
  ])('refuses a report %s', async (_, fields, description) => {
    const ada = await app.create.user()

    const { status, body } = await post('/requests.json', { ...hole, ...fields }, { by: ada })

    expect([status, body]).toEqual([400, [{ code: 400, description }]])
    expect(await app.db.prisma.issue.count()).toBe(0)
  })

  it('names attributes by their code, and a point outside of the area', async () => {
    const ada = await app.create.user()
    const { fields, deep, danger } = await createService(app)

    const missing = await post(
      '/requests.json',
      { ...fields, [`attribute[${deep}]`]: '', [`attribute[${danger}]`]: 'maybe' },
      { by: ada },
    )
    const outside = await post('/requests.json', { ...fields, lat: String(FAR_AWAY.lat), long: String(FAR_AWAY.lng) }, { by: ada })

    expect(missing.body).toEqual([
      { code: 400, description: `attribute[${deep}]: must not be blank` },
      { code: 400, description: `attribute[${danger}]: must be true or false` },
    ])
    expect(outside.body).toEqual([{ code: 400, description: 'lat: is outside the area of this service' }])
  })

  it('is 404 for unknown services and organisations', async () => {
    const ada = await app.create.user()
    const { type, fields } = await createService(app)
    const other = await app.create.organization({ name: 'Parks' })
    await app.db.prisma.requestType.update({ where: { id: type }, data: { active: false } })

    const statuses = []
    for (const [path, code] of [
      ['/requests.json', '999'],
      ['/requests.json', String(type)],
      ['/requests.json', 'x'],
      [`/${other}/requests.json`, 'other'],
      ['/999/requests.json', 'other'],
    ] as const)
      statuses.push((await post(path, { ...fields, service_code: code }, { by: ada })).status)
    statuses.push((await post('/requests.json', { ...hole, jurisdiction_id: 'Nowhere' }, { by: ada })).status)

    expect(statuses).toEqual([404, 404, 404, 404, 404, 404])
  })
})
