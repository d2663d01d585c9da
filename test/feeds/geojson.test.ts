import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const FEED = '/feeds/issues.geojson'
const at = (path: string) => `${PUBLIC_URL}${path}`

describe('GET /feeds/issues.geojson', () => {
  it('returns points with flat properties, in pages', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const exact = { lng: -72.92790000000001, lat: 41.308300000000003 }
    const works = await app.create.organization({ name: 'Public Works' })
    const pothole = await app.create.requestType({ title: 'Pothole', organization: works })
    await app.create.place({ url_name: 'connecticut', around: exact, size: 1 })
    await app.create.place({ url_name: 'new-haven', around: exact, size: 0.1 })
    const issue = await app.create.issue({
      reporter: ada,
      request_type: pothole,
      summary: 'Hole',
      address: '250 Church St',
      at: exact,
    })
    await app.create.issue({ created_at: '2026-02-01T00:00:00Z' })

    const answer = await app.as.anonymous.send('GET', `${FEED}?per_page=1&page=2`)

    expect(answer.headers['content-type']).toBe('application/geo+json; charset=utf-8')
    expect(JSON.parse(answer.text)).toEqual({
      type: 'FeatureCollection',
      title: 'Issues everywhere',
      metadata: {
        pagination: {
          entries: 2,
          page: 2,
          per_page: 1,
          pages: 2,
          next_page: null,
          next_page_url: null,
          previous_page: 1,
          previous_page_url: at(`${FEED}?page=1&per_page=1`),
        },
      },
      numberMatched: 2,
      numberReturned: 1,
      links: [
        { rel: 'self', type: 'application/geo+json', href: at(`${FEED}?page=2&per_page=1`) },
        { rel: 'prev', type: 'application/geo+json', href: at(`${FEED}?page=1&per_page=1`) },
        {
          rel: 'license',
          type: 'text/html',
          title: 'CC BY-NC-SA 3.0 US',
          href: 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/',
        },
      ],
      features: [
        {
          type: 'Feature',
          id: issue,
          geometry: { type: 'Point', coordinates: [exact.lng, exact.lat] },
          properties: {
            id: issue,
            status: 'Open',
            summary: 'Hole',
            description: null,
            rating: '1',
            address: '250 Church St',
            request_type: 'Pothole',
            reporter: 'Ada Park',
            created_at: '2026-01-01T00:00:00Z',
            updated_at: '2026-01-01T00:00:00Z',
            acknowledged_at: null,
            closed_at: null,
            reopened_at: null,
            html_url: at(`/issues/${issue}`),
            url: at(`/api/v2/issues/${issue}`),
            image_full: null,
            representative_image_url: at('/files/icons/other.svg'),
            rating_count: 1,
            request_type_id: pothole,
            organization: 'Public Works',
            place_url_name: 'new-haven',
            category: 'other',
            reporter_id: ada.id,
            assignee_id: null,
            video_url: null,
            organization_id: works,
            comment_count: 0,
            vote_count: 0,
            archived_at: null,
            source: null,
            outcome: null,
          },
        },
      ],
    })
  })

  it('contains no anonymous reporters and no issues that are pending review', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    await app.create.issue({ reporter: ben, anonymous: true, at: GREEN })
    await app.create.issue({ reporter: ben, moderation_state: 'held' })

    const { text } = await app.as.user(ben).send('GET', FEED)

    const { features } = JSON.parse(text) as { features: { properties: { reporter: string; reporter_id: number | null } }[] }
    expect(features.map(({ properties }) => [properties.reporter, properties.reporter_id])).toEqual([['An anonymous user', null]])
    expect(text).not.toContain('Ben Stone')
  })
})
