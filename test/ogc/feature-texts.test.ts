import { describe, expect, it } from 'vitest'

import { statuses } from '../../src/issue-lifecycle/status.ts'
import { IssueProperties } from '../../src/issues/records/schema.ts'
import { FAR_AWAY, GREEN, type IssueInput, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { ISSUES } from './reader.ts'

/* PostgreSQL writes the features of GeoJSON in WGS 84. Node writes those of JSON-FG, so that they show what the text must contain. */

const app = useApp()

interface Feature {
  readonly id: number
  readonly geometry: object
  readonly properties: Readonly<Record<string, unknown>>
}

const EVERY_STATUS = `${ISSUES}?status=${statuses.join(',')}`
const allNames = Object.keys(IssueProperties.properties)
const timestamp = '2026-01-02T03:04:05.678Z'
const urlOf = (path: string) => app.services.urls.at(path)

async function readFeatures(path: string, viewer?: TestUser): Promise<readonly Feature[]> {
  const { status, text } = await (viewer ? app.as.user(viewer) : app.as.anonymous).send('GET', path)
  expect(status).toBe(200)
  return (JSON.parse(text) as { readonly features: readonly Feature[] }).features
}

/** Returns the features of GeoJSON, and those of JSON-FG without the members that GeoJSON does not have. */
async function readBothFormats(path: string, viewer?: TestUser) {
  const geojson = await readFeatures(path, viewer)
  const jsonFg = await readFeatures(`${path}&f=jsonfg`, viewer)
  return [geojson, jsonFg.map(({ id, geometry, properties }) => ({ type: 'Feature', id, geometry, properties }))]
}

async function createImage(issue: number, representative_key: string | null): Promise<void> {
  const file = { full_key: `${issue}-full.jpg`, representative_key, content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 }
  await app.db.prisma.medium.create({ data: { issue_id: issue, ...file } })
}

/** Creates an issue that has a value for every property. */
async function createFullIssue(values: IssueInput = {}): Promise<number> {
  const organization = await app.create.organization({ name: 'Works "A"' })
  const request_type = await app.create.requestType({ title: 'Pothole \\ "deep"', organization })
  const [reporter, assignee] = [await app.create.user({ name: 'Ada "Q" Park' }), await app.create.user()]
  await app.create.place({ url_name: 'new-haven', around: GREEN })
  const times = { acknowledged_at: timestamp, closed_at: timestamp, reopened_at: timestamp }
  const texts = { description: 'Deep', address: '1 Elm St', category: 'pothole', video_url: 'https://video.test/?a="b"' }
  const issue = await app.create.issue({
    at: GREEN,
    request_type,
    reporter,
    assignee,
    ...times,
    ...texts,
    source: 'api',
    outcome: 'fixed',
    ...values,
  })
  await createImage(issue, `${issue}-small.jpg`)
  await app.create.comment({ on: issue })
  await app.create.comment({ on: issue, moderation_state: 'rejected' })
  await app.create.vote({ on: issue, by: reporter })
  await app.db.prisma.statusChange.create({ data: { issue_id: issue, to_status: 'Archived', created_at: timestamp } })
  return issue
}

describe('GeoJSON of issues', () => {
  it('contains every property', async () => {
    const id = await createFullIssue({ status: 'Archived', created_at: timestamp, updated_at: timestamp, base_rating: 2 })

    const features = await readFeatures(EVERY_STATUS)

    expect(features).toEqual([
      {
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] },
        properties: {
          id,
          status: 'Archived',
          summary: expect.any(String),
          description: 'Deep',
          rating: '4',
          address: '1 Elm St',
          request_type: 'Pothole \\ "deep"',
          reporter: 'Ada "Q" Park',
          created_at: '2026-01-02T03:04:05Z',
          updated_at: '2026-01-02T03:04:05Z',
          acknowledged_at: '2026-01-02T03:04:05Z',
          closed_at: '2026-01-02T03:04:05Z',
          reopened_at: '2026-01-02T03:04:05Z',
          html_url: urlOf(`/issues/${id}`),
          url: urlOf(`/api/v2/issues/${id}`),
          image_full: urlOf(`/files/${id}-full.jpg`),
          representative_image_url: urlOf(`/files/${id}-small.jpg`),
          rating_count: 4,
          request_type_id: expect.any(Number),
          organization: 'Works "A"',
          place_url_name: 'new-haven',
          category: 'pothole',
          reporter_id: expect.any(Number),
          assignee_id: expect.any(Number),
          video_url: 'https://video.test/?a="b"',
          organization_id: expect.any(Number),
          comment_count: 1,
          vote_count: 1,
          archived_at: '2026-01-02T03:04:05Z',
          source: 'api',
          outcome: 'fixed',
        },
      },
    ])
    expect(Object.keys(features[0]?.properties ?? {})).toEqual(allNames)
  })

  it.each([
    ['quotes and backslashes', String.raw`"a" \ b \n \u0041 \\`],
    ['control characters', 'line\r\nline\ttab\b\f\u0001\u001F\u007F'],
    ['characters of several bytes', 'über \u{1F573}\u{FE0F} \u2028 \u2029 \uFFFD'],
    ['characters of templates', '</script> $& $1 %s {} , :'],
  ])('equals the features that Node writes for %s', async (_name, text) => {
    await app.create.issue({ summary: text, description: text, address: text, reporter: await app.create.user({ name: text }) })

    const [geojson, expected] = await readBothFormats(EVERY_STATUS)

    expect(geojson).toEqual(expected)
    expect(geojson).toMatchObject([{ properties: { summary: text, description: text, address: text, reporter: text } }])
  })

  it('equals the features that Node writes for every status, and for absent values', async () => {
    await Promise.all(statuses.map((status) => app.create.issue({ status })))
    await app.create.issue({ description: null, address: null, category: 'unknown to "us"' })
    await app.create.issue({ at: FAR_AWAY, created_at: '0987-01-02T03:04:05Z', updated_at: timestamp })
    await createImage(await app.create.issue(), null)
    await createFullIssue()

    const [geojson, expected] = await readBothFormats(EVERY_STATUS)

    expect(geojson).toEqual(expected)
    expect(geojson).toHaveLength(statuses.length + 4)
  })

  it.each([
    { lng: 1e-7, lat: -1e-7 },
    { lng: 1e-15, lat: 5e-324 },
    { lng: -180, lat: 90 },
    { lng: -72.92790000000001, lat: 0.1 + 0.2 },
  ])('keeps the digits of the coordinates $lng, $lat', async (at) => {
    await app.create.issue({ at })

    const [geojson, expected] = await readBothFormats(EVERY_STATUS)

    expect(geojson).toEqual(expected)
    expect(geojson).toMatchObject([{ geometry: { type: 'Point', coordinates: [at.lng, at.lat] } }])
  })

  it('names an anonymous reporter only to members of the organization and to Admins', async () => {
    const organization = await app.create.organization()
    const reporter = await app.create.user({ name: 'Ben Stone' })
    const others = {
      stranger: await app.create.user(),
      member: await app.create.user({ memberOf: [{ organization }] }),
      moderator: await app.create.user({ memberOf: [{ organization, role: 'moderator' }] }),
      admin: await app.create.user({ role: 'Admin' }),
    }
    await app.create.issue({ reporter, anonymous: true, request_type: await app.create.requestType({ organization }) })

    const viewers = [undefined, reporter, ...Object.values(others)]
    const pages = await Promise.all(viewers.map((viewer) => readBothFormats(EVERY_STATUS, viewer)))

    expect(pages.map(([geojson]) => geojson)).toEqual(pages.map(([, expected]) => expected))
    const unknown = { reporter: 'An anonymous user', reporter_id: null }
    const known = { reporter: 'Ben Stone', reporter_id: null }
    expect(pages.map(([geojson]) => geojson?.[0]?.properties)).toMatchObject([unknown, unknown, unknown, known, known, known])
  })

  it.each([...allNames, '', 'id,place_url_name,video_url', 'image_full,organization'])(
    'equals the features that Node writes for properties=%s',
    async (names) => {
      await createFullIssue()
      await app.create.issue({ at: FAR_AWAY, description: null, address: null })

      const [geojson, expected] = await readBothFormats(`${EVERY_STATUS}&properties=${names}`)

      expect(geojson).toEqual(expected)
      expect(Object.keys(geojson?.[0]?.properties ?? {})).toEqual(names === '' ? [] : names.split(','))
    },
  )

  it.each([
    'sortby=-created_at',
    'sortby=summary,-rating_count',
    "filter=status<>'Open'",
    'bbox=-73,41,-72,42',
    'bbox=170,-1,-170,1',
  ])('equals the features that Node writes for %s', async (selection) => {
    await createFullIssue({ status: 'Closed' })
    await app.create.issue({ at: { lng: 179.5, lat: 0.5 }, summary: 'East' })

    const [geojson, expected] = await readBothFormats(`${EVERY_STATUS}&${selection}`)

    expect(geojson).toEqual(expected)
    expect(geojson).not.toHaveLength(0)
  })
})
