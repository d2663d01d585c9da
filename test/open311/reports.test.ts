import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createPersonaRows, mapPersonas, personas } from '../contract/personas/persona-rows.ts'
import { appOn } from '../http/app-on.ts'
import { createReader, readXml } from './reader.ts'
import { findViolations } from './schemas.ts'
import { createService } from './report-service.ts'
import { createWriter, hole, picture } from './writer.ts'

const app = useApp()
const { readRequests } = createReader(app)
const { send, post, postMultipart } = createWriter(() => app.as.anonymous)

const idOf = (body: unknown) => Number((body as [{ service_request_id: string }])[0].service_request_id)
const answersOf = (issue: number) =>
  queryRows<{ question: string; answer: string; is_private: boolean; is_contact: boolean }>(
    app.db,
    sql`
    SELECT a.question, a.answer, a.answer_kept_private AS is_private, a.is_contact FROM issue_answers a
    WHERE a.issue_id = ${issue} ORDER BY a.position, a.id`,
  )

describe('POST requests', () => {
  it('reports with the required fields, and GET requests returns the report', async () => {
    const ada = await app.create.user()

    const { status, body, headers } = await post('/requests.json', hole, { by: ada })

    expect([status, body]).toEqual([200, [{ service_request_id: '1', service_notice: null, account_id: null }]])
    expect(findViolations('created_requests', body)).toEqual([])
    expect(headers['location']).toBe(`${PUBLIC_URL}/open311/v2/requests/1.json`)
    const [request] = await readRequests('?service_request_id=1')
    expect(request).toMatchObject({
      ...{ service_code: 'other', description: 'Deep hole', lat: GREEN.lat, long: GREEN.lng, status: 'open' },
      address: `${GREEN.lat.toFixed(5)}, ${GREEN.lng.toFixed(5)}`,
    })
    expect(await app.db.prisma.issue.findUnique({ where: { id: 1 } })).toMatchObject({ reporter_id: ada.id, anonymous: false })
  })

  it('takes all fields of a form, of JSON and of multipart with pictures alike', async () => {
    const ada = await app.create.user()
    const { type, lanes, danger, fields } = await createService(app)
    const all = {
      ...fields,
      ...{ description: 'Deep hole\n\nBy the school.', address_string: '250 Church St', device_id: 'a1b2' },
      [`attribute[${danger}]`]: 'true',
    }
    const list = `attribute[${lanes}][]`

    const asForm = await post('/requests.json', { ...all, [list]: 'a' }, { by: ada })
    const asJson = await send('/requests', { ...all, attribute: undefined, [list]: ['a'] }, { by: ada })
    const asParts = await postMultipart(
      '/requests.json',
      [...Object.entries(all), [list, 'a'], ['media', picture('1.png')], ['media', picture('2.png')]],
      { by: ada },
    )

    // The third report with the same text within an hour waits for approval.
    expect([asForm.status, asJson.status, asParts.status]).toEqual([200, 200, 201])
    const issues = await app.db.prisma.issue.findMany({ include: { answers: true, media: true }, orderBy: { id: 'asc' } })
    for (const issue of issues) {
      expect(issue).toMatchObject({
        ...{
          summary: 'Deep hole',
          description: 'By the school.',
          address: '250 Church St',
          request_type_id: type,
          device_id: 'a1b2',
        },
      })
      expect(issue.answers.map(({ answer }) => answer)).toEqual(['12', 'a', 'Yes'])
    }
    expect(issues.map(({ media }) => media.length)).toEqual([0, 0, 2])
  })

  it('answers with a token in XML where the report waits for approval', async () => {
    const ada = await app.create.user()
    const { organization, fields } = await createService(app)
    await app.db.prisma.organization.update({ where: { id: organization }, data: { hold_everything: true } })
    const { anonymous } = await appOn(app.db)

    const { status, text } = await createWriter(() => anonymous).post(`/${organization}/requests.xml`, fields, { by: ada })

    const { root, content } = readXml(text)
    const [{ token }] = content as [{ token: string }]
    expect([status, root, content]).toEqual([201, 'service_requests', [{ token, service_notice: '', account_id: '' }]])
    const asked = await anonymous.send('GET', `/open311/v2/tokens/${token}.json`)
    expect(asked.body).toEqual([{ service_request_id: null, token }])
  })

  it('makes the first line the summary, and cuts a long one', async () => {
    const ada = await app.create.user()
    const long = 'A very long sentence about a hole. '.repeat(12).trim()

    const texts = ['One line', 'First\r\n\r\nSecond\nThird', long]
    for (const description of texts) await post('/requests.json', { ...hole, description }, { by: ada })

    const issues = await app.db.prisma.issue.findMany({ select: { summary: true, description: true }, orderBy: { id: 'asc' } })
    expect(issues).toEqual([
      { summary: 'One line', description: null },
      { summary: 'First', description: 'Second\nThird' },
      { summary: expect.stringMatching(/^A very long .{200,243}…$/) as string, description: long },
    ])
    expect((await readRequests('')).map(({ description }) => description).slice(-2)).toEqual(['First\n\nSecond\nThird', 'One line'])
  })

  it('finds the point of an address, and the address of a point, with a geocoder', async () => {
    const ada = await app.create.user()
    const addresses = {
      search: (words: string) => Promise.resolve(words.startsWith('1 Elm') ? [{ point: GREEN, name: 'x' }] : []),
      reverse: () => Promise.resolve('2 Oak St, New Haven'),
    }
    const { anonymous } = await appOn(app.db, {}, { addresses })
    const writer = createWriter(() => anonymous)

    await writer.post('/requests.json', { ...hole, lat: '', long: '', address_string: '1 Elm St' }, { by: ada })
    await writer.post('/requests.json', { ...hole, description: 'Other' }, { by: ada })
    const unknown = await writer.post('/requests.json', { ...hole, lat: '', long: '', address_string: 'Nowhere' }, { by: ada })

    const issues = await app.db.prisma.issue.findMany({ select: { address: true, lat: true }, orderBy: { id: 'asc' } })
    expect(issues).toEqual([
      { address: '1 Elm St', lat: GREEN.lat },
      { address: '2 Oak St, New Haven', lat: GREEN.lat },
    ])
    expect(unknown.body).toEqual([{ code: 400, description: 'address_string: was not found: send lat and long as well' }])
  })

  it('keeps a media_url of a listed host as a link, and refuses others', async () => {
    const ada = await app.create.user()
    const { anonymous } = await appOn(app.db, { MEDIA_URL_HOSTS: 'pictures.example.org, cdn.example.org:8443' })
    const writer = createWriter(() => anonymous)
    const urls = [
      'https://pictures.example.org/1.jpg',
      'https://evil.example/1.jpg',
      'http://pictures.example.org/1.jpg',
      'https://pictures.example.org@evil.example/',
    ]

    const responses = []
    for (const media_url of urls) responses.push(await writer.post('/requests.json', { ...hole, media_url }, { by: ada }))
    const [first = '', refused = ''] = urls
    const second = 'https://cdn.example.org:8443/2.jpg'
    responses.push(await writer.send('/requests', { ...hole, media_url: [first, second] }, { by: ada }))
    responses.push(await writer.send('/requests', { ...hole, media_url: [first, refused] }, { by: ada }))
    const shown = await anonymous.send('GET', '/open311/v2/requests/2.json')

    expect(responses.map(({ status }) => status)).toEqual([200, 400, 400, 400, 200, 400])
    expect((await answersOf(2)).map(({ answer }) => answer)).toEqual([first, second])
    expect(shown.body).toMatchObject([{ media_url: first }])
    expect(responses[1]?.body).toEqual([
      {
        code: 400,
        description:
          'media_url: must be an https address of pictures.example.org, cdn.example.org:8443: other pictures are sent as media in a multipart/form-data request',
      },
    ])
    expect(await answersOf(1)).toEqual([{ question: 'Picture or video', answer: urls[0], is_private: false, is_contact: false }])
  })

  it('returns a media_url while its host is listed, unless the request has a picture', async () => {
    const ada = await app.create.user()
    const { anonymous } = await appOn(app.db, { MEDIA_URL_HOSTS: 'pictures.example.org' })
    const { post: report, postMultipart: reportPicture } = createWriter(() => anonymous)
    const fields = { ...hole, media_url: 'https://pictures.example.org/1.jpg' }
    await report('/requests.json', fields, { by: ada })
    await reportPicture('/requests.json', [...Object.entries({ ...fields, description: 'Other' }), ['media', picture()]], {
      by: ada,
    })

    const urlsAt = async (client: typeof anonymous) => {
      const [list, ids, one] = await Promise.all(
        ['requests', 'requests.json?service_request_id=1,2', 'requests/1.json'].map((path) =>
          client.send('GET', `/open311/v2/${path}`),
        ),
      )
      return [list, ids, one].map((response) =>
        (response!.body as { media_url: string | null }[]).map(({ media_url }) => media_url),
      )
    }

    const file = expect.stringMatching(new RegExp(`^${PUBLIC_URL}/files/`)) as string
    expect(await urlsAt(anonymous)).toEqual([[file, fields.media_url], [file, fields.media_url], [fields.media_url]])
    expect(await urlsAt(app.as.anonymous)).toEqual([[file, null], [file, null], [null]])
  })

  it('takes five pictures, and none where the service asks for none', async () => {
    const ada = await app.create.user()
    const type = await app.create.requestType({ title: 'Noise' })
    const files = (count: number) => Array.from({ length: count }, (_, n): [string, File] => ['media[]', picture(`${n}.png`)])

    const five = await postMultipart('/requests.json', [...Object.entries(hole), ...files(5)], { by: ada })
    const six = await postMultipart('/requests.json', [...Object.entries(hole), ...files(6)], { by: ada })
    const damaged = await postMultipart('/requests.json', [...Object.entries(hole), ['media', new File(['x'], 'x.png')]], {
      by: ada,
    })
    const none = await postMultipart('/requests.json', [...Object.entries({ ...hole, service_code: String(type) }), ...files(1)], {
      by: ada,
    })

    expect([five, six, damaged, none].map(({ status }) => status)).toEqual([200, 400, 400, 400])
    expect(JSON.stringify(damaged.body)).toContain('media: ')
    expect(none.body).toEqual([{ code: 400, description: 'media: is not accepted: this service asks for no picture' }])
  })

  it('reports once for each Idempotency-Key, in the format of the first response', async () => {
    const ada = await app.create.user()
    const options = { by: ada, headers: { 'idempotency-key': 'one' } }

    const first = await post('/requests.xml', hole, options)
    const second = await post('/requests.xml', hole, options)
    const other = await post('/requests.xml', { ...hole, description: 'Other' }, options)

    expect([second.status, second.text, second.headers['content-type']]).toEqual([200, first.text, 'text/xml; charset=utf-8'])
    expect([other.status, readXml(other.text).root]).toEqual([400, 'errors'])
    expect(await app.db.prisma.issue.count()).toBe(1)
  })

  it('reports once for each Idempotency-Key, whatever the suffix is', async () => {
    const ada = await app.create.user()
    const options = { by: ada, headers: { 'idempotency-key': 'one' } }

    const responses = []
    for (const suffix of ['.json', '.xml', '']) responses.push(await post(`/requests${suffix}`, hole, options))

    const [first] = responses
    expect(responses.map(({ status, text }) => [status, text])).toEqual(responses.map(() => [first?.status, first?.text]))
    expect(responses.map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true', 'true'])
    expect(await app.db.prisma.issue.count()).toBe(1)
  })
})

describe('a report by each persona', () => {
  it('needs a key, and has the owner of the key as its reporter', async () => {
    const { people, type } = await createPersonaRows(app)

    const outcomes: Record<string, unknown> = {}
    for (const persona of personas) {
      const by = persona === 'anonymous' ? {} : { by: people[persona] }
      const { status, body } = await post('/requests.json', { ...hole, service_code: String(type), description: persona }, by)
      const issue = status === 200 ? await app.db.prisma.issue.findUnique({ where: { id: idOf(body) } }) : null
      outcomes[persona] = [status, issue?.reporter_id]
    }

    expect(outcomes).toEqual(mapPersonas((persona) => (persona === 'anonymous' ? [403, undefined] : [200, people[persona].id])))
  })
})

describe('a guest', () => {
  it('reports where the organisation allows it, without an account', async () => {
    const { fields } = await createService(app, { guests: true })

    const { status, body } = await post('/requests.json', fields)

    expect(status).toBe(200)
    expect(await app.db.prisma.issue.findUnique({ where: { id: idOf(body) } })).toMatchObject({
      reporter_id: null,
      anonymous: true,
    })
    const issue = await app.as.anonymous.get(`/issues/${idOf(body)}`)
    expect(issue.body).toMatchObject({ reporter: { id: 0, role: 'Guest' } })
  })

  it('needs a key elsewhere', async () => {
    const { fields } = await createService(app)

    expect((await post('/requests.json', fields)).status).toBe(403)
    expect((await post('/requests.json', hole)).status).toBe(403)
  })

  it('has the moderation of a new account: links and repeated texts of guests wait for approval', async () => {
    const { fields } = await createService(app, { guests: true })

    const withLink = await post('/requests.json', { ...fields, description: 'See https://example.org' })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await post('/requests.json', fields)).status)

    expect([withLink.status, ...statuses]).toEqual([201, 200, 200, 201])
  })
})
