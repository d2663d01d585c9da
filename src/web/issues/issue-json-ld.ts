import { breadcrumbList, publisher } from '../../html/json-ld.ts'
import type { Urls } from '../../http/request/urls.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import { userName } from '../../users/present.ts'
import type { UserSummary } from '../../users/schema.ts'
import type { IssueView } from './issue-view.ts'

/** Newest comments in the structured data; search engines need no more. */
const COMMENTS_MAX = 20

/** Structured data of a public issue: a posting with its place and comments, and its breadcrumbs. */
export function issueJsonLd({ issue, places: [place], texts }: IssueView, urls: Urls): object[] {
  const person = ({ id, name, role, html_url }: UserSummary) =>
    id === 0 && role === 'Verified Official'
      ? { '@type': 'Organization', name }
      : { '@type': 'Person', name: userName({ id, name }, texts.language), ...(html_url === null ? {} : { url: html_url }) }
  const posting = {
    '@type': 'DiscussionForumPosting',
    url: issue.html_url,
    headline: issue.summary,
    text: issue.description ?? issue.summary,
    author: person(issue.reporter),
    publisher: publisher(urls),
    datePublished: issue.created_at,
    dateModified: issue.updated_at,
    creativeWorkStatus: statusName(issue.status, texts.language),
    ...(issue.media.images.length > 0 ? { image: issue.media.images } : {}),
    contentLocation: {
      '@type': 'Place',
      ...(issue.address ? { address: issue.address } : {}),
      geo: { '@type': 'GeoCoordinates', latitude: issue.lat, longitude: issue.lng },
    },
    commentCount: issue.comments_count,
    interactionStatistic: {
      '@type': 'InteractionCounter',
      interactionType: 'https://schema.org/LikeAction',
      userInteractionCount: issue.vote_count,
    },
    comment: issue.comments.slice(-COMMENTS_MAX).map(({ comment, commenter, created_at }) => ({
      '@type': 'Comment',
      text: comment,
      author: person(commenter),
      datePublished: created_at,
    })),
  }
  const crumbs: (readonly [string, string])[] = [
    [texts('issue.places'), '/places'],
    ...(place ? [[place.name, `/places/${place.url_name}`] as const] : []),
    [issue.summary, `/issues/${issue.id}`],
  ]
  return [posting, breadcrumbList(crumbs, urls)]
}
