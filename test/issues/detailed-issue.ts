import { expect } from 'vitest'

import type { ExtendedIssue } from '../../src/issues/schema.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'

const ROOT = 'http://fixpoint.test'
const API = `${ROOT}/api/v2`

export const avatar = { full: `${ROOT}/files/icons/avatar.svg`, square_100x100: `${ROOT}/files/icons/avatar.svg` }

export const anonymousUser = {
  avatar,
  civic_points: 0,
  html_url: null,
  id: 0,
  name: 'An anonymous user',
  role: 'Guest',
  witty_title: 'Street Smart',
}

export interface DetailedIssue {
  readonly issue: number
  readonly comment: number
  readonly requestType: number
  readonly organization: number
  readonly reporter: TestUser
  readonly assignee: TestUser
  readonly voter: TestUser
}

/** Creates an issue with all kinds of details. */
export async function createDetailedIssue(app: TestApp): Promise<DetailedIssue> {
  const organization = await app.create.organization({ name: 'Public Works' })
  const requestType = await app.create.requestType({ title: 'Pothole', organization })
  const reporter = await app.create.user({ name: 'Ada Park', civic_points: 120 })
  const assignee = await app.create.user({ name: 'Otto Grant', role: 'VerifiedOfficial', memberOf: [{ organization }] })
  const voter = await app.create.user({ name: 'Vera Lane', civic_points: 3000 })
  const issue = await app.create.issue({
    summary: 'A hole “as deep” as <it> gets',
    description: 'Two\nlines & more',
    address: '165 Church St, New Haven',
    status: 'Closed',
    category: 'pothole',
    base_rating: 3,
    reporter,
    assignee,
    request_type: requestType,
    created_at: '2026-01-01T08:00:00.999Z',
    updated_at: '2026-01-04T00:00:00Z',
    acknowledged_at: '2026-01-02T00:00:00Z',
    closed_at: '2026-01-04T00:00:00Z',
  })
  await app.db.prisma.issue.update({
    where: { id: issue },
    data: {
      reopened_at: '2026-01-03T00:00:00Z',
      video_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      remote_id: 77,
      remote_title: 'Work order',
      remote_status: 'done',
    },
  })
  const comment = await app.create.comment({ on: issue, by: voter, comment: 'Deeper now.', created_at: '2026-01-02T00:00:00Z' })
  await app.create.vote({ on: issue, by: voter })
  await app.db.prisma.vote.updateMany({ data: { created_at: '2026-01-02T12:00:00Z' } })
  await app.create.formAnswer({ on: issue, question: 'How deep is it?', answer: 'A foot' })
  await app.create.formAnswer({ on: issue, question: 'Your phone number?', answer: '555-0100', answer_kept_private: true })
  return { issue, comment, requestType, organization, reporter, assignee, voter }
}

/** The response to an anonymous caller. */
export function expectedDetails({ issue, comment, requestType, reporter, assignee, voter }: DetailedIssue): ExtendedIssue {
  const url = `${API}/issues/${issue}`
  return {
    id: issue,
    status: 'Closed',
    summary: 'A hole “as deep” as <it> gets',
    description: 'Two\nlines & more',
    rating: '5',
    lat: GREEN.lat,
    lng: GREEN.lng,
    point: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] },
    address: '165 Church St, New Haven',
    created_at: '2026-01-01T08:00:00Z',
    updated_at: '2026-01-04T00:00:00Z',
    changed_at: expect.any(String) as string,
    acknowledged_at: '2026-01-02T00:00:00Z',
    closed_at: '2026-01-04T00:00:00Z',
    reopened_at: '2026-01-03T00:00:00Z',
    outcome: null,
    reporter: {
      avatar,
      civic_points: 120,
      html_url: `${ROOT}/users/${reporter.id}`,
      id: reporter.id,
      name: 'Ada Park',
      role: 'Registered User',
      witty_title: 'Civic Pride',
    },
    request_type: {
      id: requestType,
      title: 'Pothole',
      organization: 'Public Works',
      url: `${API}/request_types/${requestType}`,
      related_issues_url: `${API}/issues?lat=${GREEN.lat}&lng=${GREEN.lng}&request_types=${requestType}&sort=distance`,
    },
    shortened_url: `${ROOT}/i/${issue.toString(36)}`,
    url,
    comments_url: `${url}/comments`,
    comment_url: `${url}/comments`,
    flag_url: `${url}/flag`,
    html_url: `${ROOT}/issues/${issue}`,
    transitions: {},
    actions: [],
    private_visibility: false,
    media: {
      video_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      image_full: null,
      image_square_100x100: null,
      representative_image_url: `${ROOT}/files/icons/pothole.svg`,
      images: [],
    },
    assignee: {
      avatar,
      civic_points: 0,
      html_url: `${ROOT}/users/${assignee.id}`,
      id: assignee.id,
      name: 'Otto Grant',
      role: 'Verified Official',
      witty_title: 'Street Smart',
    },
    comments: [
      {
        id: comment,
        comment: 'Deeper now.',
        commenter: {
          avatar,
          civic_points: 3000,
          html_url: `${ROOT}/users/${voter.id}`,
          id: voter.id,
          name: 'Vera Lane',
          role: 'Registered User',
          witty_title: 'City Fixer',
        },
        created_at: '2026-01-02T00:00:00Z',
        updated_at: '2026-01-02T00:00:00Z',
        media: { video_url: null, image_full: null, image_square_100x100: null },
        flag_url: `${API}/comments/${comment}/flag`,
        issue_url: url,
        editable_until: null,
        last_edited_at: null,
      },
    ],
    comments_truncated: false,
    comment_count: 1,
    comments_count: 1,
    current_user_relationship: { assignee: false, following: false, reporter: false, voted: false },
    questions: [{ question: 'How deep is it?', answer: 'A foot' }],
    integrations: { remote_id: 77, title: 'Work order', status: 'done' },
    passed_on_to: null,
    duplicate_of: null,
    duplicate_of_url: null,
    confirmations: { fixed: 0, not_fixed: 0 },
    previous_issue: null,
    vote_count: 1,
    votes: [{ created_at: '2026-01-02T12:00:00Z' }],
    votes_truncated: false,
  }
}
