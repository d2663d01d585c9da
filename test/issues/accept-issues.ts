import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, type useApp } from '../helpers/use-app.ts'

const at = (path: string) => `${PUBLIC_URL}${path}`

/** Creates an issue with texts that every format must escape, after which come two others. */
export async function createIssues(app: ReturnType<typeof useApp>) {
  const reporter = await app.create.user({ name: 'Ada Park' })
  const organization = await app.create.organization({ name: 'Public Works' })
  const request_type = await app.create.requestType({ title: 'Pothole', organization })
  await app.create.place({ url_name: 'new-haven', name: 'New Haven' })
  const issue = await app.create.issue({
    reporter,
    request_type,
    summary: '=Hole <deep> & "wide"',
    description: 'Cars,\nswerve.',
    address: '250 Church St',
    created_at: '2026-03-01T10:00:00Z',
    updated_at: '2026-03-02T11:00:00Z',
  })
  for (const day of ['02', '03']) await app.create.issue({ created_at: `2026-03-${day}T00:00:00Z` })
  return { issue, request_type, reporter, organization }
}

/** Returns the feature of the first issue. */
export const featureOf = ({ issue, request_type, reporter, organization }: Awaited<ReturnType<typeof createIssues>>) => ({
  type: 'Feature',
  id: issue,
  geometry: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] },
  properties: {
    id: issue,
    status: 'Open',
    summary: '=Hole <deep> & "wide"',
    description: 'Cars,\nswerve.',
    rating: '1',
    address: '250 Church St',
    request_type: 'Pothole',
    reporter: 'Ada Park',
    created_at: '2026-03-01T10:00:00Z',
    updated_at: '2026-03-02T11:00:00Z',
    acknowledged_at: null,
    closed_at: null,
    reopened_at: null,
    html_url: at(`/issues/${issue}`),
    url: at(`/api/v2/issues/${issue}`),
    image_full: null,
    representative_image_url: at('/files/icons/other.svg'),
    rating_count: 1,
    request_type_id: request_type,
    organization: 'Public Works',
    place_url_name: 'new-haven',
    category: 'other',
    reporter_id: reporter.id,
    assignee_id: null,
    video_url: null,
    organization_id: organization,
    comment_count: 0,
    vote_count: 0,
    archived_at: null,
    source: null,
    outcome: null,
  },
})
