import { toComment, type CommentSummaryRow } from '../comments/queries.ts'
import { toGeoJsonPoint } from '../geo/shapes.ts'
import type { Urls } from '../http/request/urls.ts'
import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import { allowedTransitions } from '../issue-lifecycle/transitions.ts'
import { type Language } from '../locales/texts.ts'
import { relatedIssuesUrl, translateType } from '../request-types/present.ts'
import { toDepartmentSummary, toUserSummary } from '../users/present.ts'
import { toCategory } from './categories.ts'
import type { DetailsRow } from './details-queries.ts'
import { toAnswers } from './present-answers.ts'
import type { IssueRow } from './queries.ts'
import type { Details, ExtendedIssue, Issue } from './schema.ts'

/** @param language of the names of the request type and its organisation; null is their own */
export function toIssue(row: IssueRow, urls: Urls, language: Language | null = null): Issue {
  const { id, lng, lat } = row
  const url = urls.api(`/issues/${id}`)
  const actions = allowedTransitions(row.status, row.actor_role).map((name) => ({ name, url: `${url}/${name}` }))
  return {
    id,
    status: row.status,
    summary: row.summary,
    description: row.description,
    rating: String(row.rating),
    lat,
    lng,
    point: toGeoJsonPoint({ lng, lat }),
    address: row.address,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    changed_at: toTimestamp(row.changed_at),
    acknowledged_at: toNullableTimestamp(row.acknowledged_at),
    closed_at: toNullableTimestamp(row.closed_at),
    reopened_at: toNullableTimestamp(row.reopened_at),
    outcome: row.outcome,
    reporter: toUserSummary(row.reporter, urls),
    request_type: toRequestType(row, urls, language),
    shortened_url: urls.at(`/i/${id.toString(36)}`),
    url,
    comments_url: `${url}/comments`,
    comment_url: `${url}/comments`,
    flag_url: `${url}/flag`,
    html_url: urls.at(`/issues/${id}`),
    transitions: Object.fromEntries(actions.map((action) => [`${action.name}_url`, action.url])),
    actions,
    private_visibility: false,
    media: toMedia(row, urls),
  }
}

function toRequestType({ request_type, lng, lat }: IssueRow, urls: Urls, language: Language | null): Issue['request_type'] {
  if (!request_type) return {}
  const { id, title, organization } = translateType(request_type, language)
  return {
    id,
    title,
    organization,
    url: urls.api(`/request_types/${id}`),
    related_issues_url: relatedIssuesUrl(urls, id, { lng, lat }),
  }
}

/** The full image is used until smaller sizes exist; an issue without an image gets the icon of its category. */
function toMedia({ images, category, video_url }: IssueRow, urls: Urls): Issue['media'] {
  const file = (key: string | null | undefined) => (key ? urls.at(`/files/${key}`) : null)
  const [image] = images
  return {
    video_url,
    image_full: file(image?.full),
    image_square_100x100: file(image?.square ?? image?.full),
    representative_image_url: file(image?.representative ?? image?.full) ?? urls.at(`/files/icons/${toCategory(category)}.svg`),
    images: images.map(({ full }) => urls.at(`/files/${full}`)),
  }
}

export function toExtendedIssue(
  row: IssueRow,
  details: DetailsRow,
  comments: readonly CommentSummaryRow[],
  urls: Urls,
  language: Language | null = null,
): ExtendedIssue {
  return { ...toIssue(row, urls, language), ...toDetails(row, details, comments, urls, language) }
}

function toDetails(
  issue: IssueRow,
  row: DetailsRow,
  comments: readonly CommentSummaryRow[],
  urls: Urls,
  language: Language | null,
): Details {
  const duplicate_of = row.closing?.duplicate_of ?? null
  return {
    assignee: row.assignee_department
      ? toDepartmentSummary(row.assignee_department, urls)
      : row.assignee && toUserSummary(row.assignee, urls),
    comments: comments.map((comment) => toComment(comment, urls)),
    comments_truncated: comments.length < row.comment_count,
    comment_count: row.comment_count,
    comments_count: row.comment_count,
    current_user_relationship: {
      assignee: row.is_assignee,
      following: row.is_following,
      reporter: row.is_reporter,
      voted: row.has_voted,
    },
    questions: toAnswers(issue, row, urls, language).map(({ question, answer }) => ({ question, answer })),
    integrations: { remote_id: row.remote_id, title: row.remote_title, status: row.remote_status },
    passed_on_to: row.closing?.passed_on_to ?? null,
    duplicate_of,
    duplicate_of_url: duplicate_of === null ? null : urls.api(`/issues/${duplicate_of}`),
    confirmations: { fixed: row.closing?.fixed ?? 0, not_fixed: row.closing?.not_fixed ?? 0 },
    previous_issue: row.previous_issue,
    vote_count: row.vote_count,
    votes: row.votes.map((vote) => ({ created_at: toTimestamp(vote.created_at) })),
    votes_truncated: row.votes.length < row.vote_count,
  }
}
