import { describe, expect, it } from 'vitest'

import { findDuplicates } from '../../src/duplicates/queries.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const metresNorth = (metres: number) => ({ ...GREEN, lat: GREEN.lat + metres / 111_195 })

interface Body {
  readonly issues: {
    readonly id: number
    readonly duplicate: Record<string, unknown>
    readonly reporter: { readonly id: number }
  }[]
}
const duplicatesFor = async (query: string, client = app.as.anonymous) => {
  const { status, body } = await client.get(`/issues/duplicates?${at}${query}`)
  expect(status).toBe(200)
  return (body as Body).issues
}
const idsFor = async (query: string) => (await duplicatesFor(query)).map(({ id }) => id)

describe('GET /issues/duplicates', () => {
  it('returns a complete open issue nearby with the reason', async () => {
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const id = await app.create.issue({ at: metresNorth(12), request_type: pothole, summary: 'Deep pothole at the crossing' })
    const issue = (await app.as.anonymous.get(`/issues?request_types=${pothole}`)).body as { issues: object[] }

    const { body } = await app.as.anonymous.get(`/issues/duplicates?${at}&request_type_id=${pothole}&summary=Pothóle at crossing`)

    expect(body).toEqual({
      metadata: { radius_m: 200 },
      errors: {},
      issues: [
        {
          ...issue.issues[0],
          id,
          duplicate: {
            distance_m: 12,
            same_request_type: true,
            summary_likeness: 0.83,
            reason: '12 m away, the same kind, similar words',
          },
        },
      ],
    })
  })

  it('returns at most three issues, the nearest of the same request type first', async () => {
    const [tree, sign] = [await app.create.requestType(), await app.create.requestType()]
    const near = await app.create.issue({ at: metresNorth(30), request_type: tree })
    const nearer = await app.create.issue({ at: metresNorth(20), request_type: tree })
    const nearest = await app.create.issue({ at: metresNorth(10), request_type: tree })
    await app.create.issue({ at: metresNorth(40), request_type: tree })
    await app.create.issue({ at: GREEN, request_type: sign })

    expect(await idsFor(`&request_type_id=${tree}`)).toEqual([nearest, nearer, near])
  })

  it('returns issues of every request type for other and without a type, and does not mention theirs', async () => {
    const tree = await app.create.requestType()
    const issue = await app.create.issue({ request_type: tree, category: 'tree' })

    const [other] = await duplicatesFor('&request_type_id=other')
    const [none] = await duplicatesFor('')

    const duplicate = { distance_m: 0, same_request_type: false, summary_likeness: null, reason: 'at the same spot' }
    expect(other).toMatchObject({ id: issue, duplicate })
    expect(none).toMatchObject({ id: issue, duplicate })
  })

  it('returns issues of the same category and without a type, and others only with a similar summary', async () => {
    const category = async (name: string) => {
      const id = await app.create.requestType()
      await app.db.prisma.requestType.update({ where: { id }, data: { category: name } })
      return id
    }
    const [tree, sign] = [await category('tree'), await category('sign')]
    const alike = await app.create.issue({ category: 'tree', summary: 'Oak' })
    const without = await app.create.issue({ at: metresNorth(50), summary: 'Elm' })
    const misfiled = await app.create.issue({ at: metresNorth(90), category: 'sign', request_type: sign, summary: 'Fallen branch' })
    await app.create.issue({ category: 'sign', request_type: sign, summary: 'Stop' })

    const reasons = (await duplicatesFor(`&request_type_id=${tree}&summary=fallen branch`)).map(({ id, duplicate }) => [
      id,
      duplicate['reason'],
    ])

    expect(reasons).toEqual([
      [alike, 'at the same spot, a similar kind'],
      [misfiled, '90 m away, the same words'],
      [without, '50 m away'],
    ])
  })

  it('leaves out issues that are far, closed, archived, pending review or rejected', async () => {
    const acknowledged = await app.create.issue({ at: metresNorth(199), status: 'Acknowledged' })
    await app.create.issue({ at: metresNorth(201) })
    await app.create.issue({ at: FAR_AWAY })
    await app.create.issue({ status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })
    await app.create.issue({ status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
    const ada = await app.create.user()
    await app.create.issue({ moderation_state: 'held', reporter: ada })
    await app.create.issue({ moderation_state: 'rejected', reporter: ada })

    expect(await idsFor('')).toEqual([acknowledged])
    expect((await duplicatesFor('', app.as.user(ada))).map(({ id }) => id)).toEqual([acknowledged])
  })

  it('finds issues across the antimeridian', async () => {
    const id = await app.create.issue({ at: { lng: -179.9999, lat: 10 } })

    const { body } = await app.as.anonymous.get('/issues/duplicates?lat=10&lng=179.9999')

    expect(body).toMatchObject({ issues: [{ id, duplicate: { distance_m: 22 } }] })
  })

  it('shows an anonymous reporter only to staff of the organisation', async () => {
    const [works, parks] = [await app.create.organization(), await app.create.organization()]
    const type = await app.create.requestType({ organization: works })
    const ada = await app.create.user({ name: 'Ada Park' })
    await app.create.issue({ reporter: ada, anonymous: true, request_type: type })
    const employee = await app.create.user({ memberOf: [{ organization: works }] })
    const stranger = await app.create.user({ memberOf: [{ organization: parks }] })

    const reporterFor = async (client = app.as.anonymous) => (await duplicatesFor('', client))[0]?.reporter.id

    expect(await reporterFor()).toBe(0)
    expect(await reporterFor(app.as.user(ada))).toBe(0)
    expect(await reporterFor(app.as.user(stranger))).toBe(0)
    expect(await reporterFor(app.as.user(employee))).toBe(ada.id)
  })

  it('does not read duplicates as the id of an issue, and returns 400 without a point', async () => {
    const { status, body } = await app.as.anonymous.get('/issues/duplicates')

    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'A point is needed: give lat and lng.',
      documentation_url: 'http://fixpoint.test/docs',
      request_id: expect.any(String),
    })
  })

  it.each<[query: string, errors: Record<string, string>]>([
    ['lat=41', { lng: 'is required together with lat' }],
    ['lat=91&lng=0', { lat: 'must be a number from -90 to 90' }],
    [`${at}&request_type_id=999`, { request_type_id: 'is not the id of a request type' }],
    [`${at}&request_type_id=9999999999`, { request_type_id: 'is not the id of a request type' }],
    [`${at}&request_type_id=Other`, { request_type_id: 'must be the id of a request type, or other' }],
    [`${at}&request_type_id=0`, { request_type_id: 'must be the id of a request type, or other' }],
    [`${at}&summary=a%00b`, { summary: 'must not contain the character U+0000' }],
  ])('rejects %s', async (query, errors) => {
    const { status, body } = await app.as.anonymous.get(`/issues/duplicates?${query}`)

    expect([status, body]).toEqual([422, errors])
  })

  it('rejects a summary that is longer than the limit of reports', async () => {
    const { status, body } = await app.as.anonymous.get(`/issues/duplicates?${at}&summary=${'x'.repeat(256)}`)

    expect([status, body]).toEqual([422, { summary: 'must be a text of at most 255 characters' }])
  })

  it('treats a blank summary as missing', async () => {
    await app.create.issue()

    const [found] = await duplicatesFor('&summary=%20')

    expect(found?.duplicate).toMatchObject({ summary_likeness: null })
  })
})

it('findDuplicates leaves out the issue of the report itself', async () => {
  const [first, second] = [await app.create.issue(), await app.create.issue()]

  const found = await findDuplicates(app.db, { point: GREEN, requestTypeId: null, excludedId: second })

  expect(found.map(({ issue }) => issue.id)).toEqual([first])
})
