import { beforeAll, describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const API = 'http://fixpoint.test/api/v2'
const TYPES = `${API}/request_types`

const traitsOf = (id: number | 'other') => ({
  id: id === 'other' ? null : id,
  is_other: id === 'other',
  block_submission: false,
  location_required: true,
  permit_guest_reporting: false,
  permit_anonymous_reporting: true,
  private_visibility: false,
})

/** Returns a request type as the report form of a point contains it. */
const offered = (organization: string | null, title: string, id: number | 'other', { lng, lat } = GREEN) => ({
  ...traitsOf(id),
  organization,
  title,
  url: `${TYPES}/${id}`,
  related_issues_url: `${API}/issues?lat=${lat}&lng=${lng}&request_types=${id}&sort=distance`,
  potential_duplicate_issues_url: `${API}/issues/duplicates?lat=${lat}&lng=${lng}&request_type_id=${id}`,
})

describe('GET /issues/new', () => {
  const app = useApp()

  const formAt = async ({ lng, lat }: { lng: number; lat: number }) => {
    const { status, body } = await app.as.anonymous.get(`/issues/new?lat=${lat}&lng=${lng}`)
    expect(status).toBe(200)
    return body
  }

  it('lists the types of organisations that cover the point, then community types, then other', async () => {
    const works = await app.create.organization({ name: 'Public Works', around: GREEN })
    const animals = await app.create.organization({ name: 'Animal Control', around: GREEN })
    const elsewhere = await app.create.organization({ name: 'Elsewhere', around: FAR_AWAY })
    const pothole = await app.create.requestType({ title: 'Pothole', organization: works })
    const graffiti = await app.create.requestType({ title: 'Graffiti', organization: works })
    const dog = await app.create.requestType({ title: 'Lost dog', organization: animals })
    const idea = await app.create.requestType({ title: 'Idea' })
    await app.create.requestType({ title: 'Shark', organization: elsewhere })
    const closed = await app.create.requestType({ title: 'No longer taken', organization: works })
    await app.db.prisma.requestType.update({ where: { id: closed }, data: { active: false } })
    await app.db.prisma.requestType.update({ where: { id: graffiti }, data: { position: 1 } })

    expect(await formAt(GREEN)).toEqual({
      request_types: [
        offered('Animal Control', 'Lost dog', dog),
        offered('Public Works', 'Pothole', pothole),
        offered('Public Works', 'Graffiti', graffiti),
        offered(null, 'Idea', idea),
        offered(null, 'Other', 'other'),
      ],
    })
  })

  it('lists other where no organisation is responsible', async () => {
    const pole = { lng: 180, lat: -90 }

    expect(await formAt(pole)).toEqual({ request_types: [offered(null, 'Other', 'other', pole)] })
  })

  it('includes the edge of an area', async () => {
    const works = await app.create.organization({ name: 'Public Works', around: { lng: 10, lat: 20 }, size: 0.5 })
    await app.create.requestType({ title: 'Pothole', organization: works })
    const titlesAt = async (lng: number, lat: number) =>
      ((await formAt({ lng, lat })) as { request_types: { title: string }[] }).request_types.map(({ title }) => title)

    expect(await titlesAt(10.5, 20.5)).toEqual(['Pothole', 'Other'])
    expect(await titlesAt(10.5, 20.500_000_01)).toEqual(['Other'])
  })

  it('does not read new as the id of an issue', async () => {
    const { status, body } = await app.as.anonymous.get('/issues/new')

    expect(status).toBe(400)
    expect(body).toEqual({
      message: expect.stringContaining('point'),
      documentation_url: 'http://fixpoint.test/docs',
      request_id: expect.any(String),
    })
  })

  it.each([
    ['lat=41', { lng: 'is required together with lat' }],
    ['lat=41&lng=200', { lng: 'must be a number from -180 to 180' }],
  ])('rejects %s', async (query, errors) => {
    const { status, body } = await app.as.anonymous.get(`/issues/new?${query}`)

    expect([status, body]).toEqual([422, errors])
  })
})

describe('GET /request_types/:id', () => {
  const app = useApp({ keepRows: true })
  let pothole = 0

  beforeAll(async () => {
    const organization = await app.create.organization({ name: 'Public Works' })
    pothole = await app.create.requestType({
      title: 'Pothole',
      organization,
      questions: [
        { built_in: 'summary', question: 'What is it?', question_type: 'text', response_required: true },
        {
          question: 'Where in the road?',
          question_type: 'select',
          select_values: [
            { key: 'l', name: 'Left' },
            { key: 'r', name: 'Right' },
          ],
        },
        { question: 'Your phone number?', question_type: 'text', answer_kept_private: true },
        { built_in: 'issue_image', question: 'A picture?', question_type: 'file' },
      ],
    })
  })

  it('returns the type with its own questions by id and the built-in ones by name', async () => {
    const { status, body } = await app.as.anonymous.get(`/request_types/${pothole}`)

    const plain = { answer_kept_private: false, response_required: false, select_values: null }
    expect(status).toBe(200)
    expect(body).toEqual({
      ...traitsOf(pothole),
      organization: 'Public Works',
      title: 'Pothole',
      related_issues_url: `${API}/issues?request_types=${pothole}`,
      questions: [
        { ...plain, primary_key: 'summary', question: 'What is it?', question_type: 'text', response_required: true },
        {
          ...plain,
          primary_key: '2',
          question: 'Where in the road?',
          question_type: 'select',
          select_values: [
            { key: 'l', name: 'Left' },
            { key: 'r', name: 'Right' },
          ],
        },
        { ...plain, primary_key: '3', question: 'Your phone number?', question_type: 'text', answer_kept_private: true },
        { ...plain, primary_key: 'issue_image', question: 'A picture?', question_type: 'file' },
      ],
    })
  })

  it('returns the type `other`', async () => {
    const { status, body } = await app.as.anonymous.get('/request_types/other')

    const plain = { answer_kept_private: false, response_required: false, select_values: null }
    expect(status).toBe(200)
    expect(body).toEqual({
      ...traitsOf('other'),
      organization: null,
      title: 'Other',
      related_issues_url: `${API}/issues?request_types=other`,
      questions: [
        { ...plain, primary_key: 'summary', question: expect.any(String), question_type: 'text', response_required: true },
        { ...plain, primary_key: 'description', question: expect.any(String), question_type: 'textarea' },
        { ...plain, primary_key: 'issue_image', question: expect.any(String), question_type: 'file' },
      ],
    })
  })

  it('returns an empty list without questions and null without an organisation', async () => {
    const id = await app.create.requestType({ title: 'Idea' })

    const { body } = await app.as.anonymous.get(`/request_types/${id}`)

    const related_issues_url = `${API}/issues?request_types=${id}`
    const urls = { related_issues_url }
    expect(body).toEqual({ ...traitsOf(id), organization: null, title: 'Idea', questions: [], ...urls })
  })

  it.each([GREEN, { lng: 0, lat: 1e-7 }, { lng: -180, lat: -0 }])(
    'is the url of a form item at %j without a query, and related issues are near it',
    async ({ lng, lat }) => {
      const form = await app.as.anonymous.get(`/issues/new?lat=${lat.toFixed(7)}&lng=${lng}`)
      const { request_types } = form.body as { request_types: Record<'url' | 'title' | 'related_issues_url', string>[] }
      const other = request_types.find(({ title }) => title === 'Other')

      const type = await app.as.anonymous.send('GET', new URL(other?.url ?? '').href.replace('http://fixpoint.test', ''))
      const related = await app.as.anonymous.send('GET', (other?.related_issues_url ?? '').replace('http://fixpoint.test', ''))

      expect(request_types.map(({ url }) => url.split('/').at(-1))).toEqual([
        ...request_types.slice(1).map(() => expect.stringMatching(/^[1-9]\d*$/) as unknown),
        'other',
      ])
      expect([type.status, related.status]).toEqual([200, 200])
    },
  )

  it.each(['999', '0', '-1', '2147483648', 'Other', 'others', '1.0', '%00'])('returns 404 for %s', async (id) => {
    expect((await app.as.anonymous.get(`/request_types/${id}`)).status).toBe(404)
  })
})
