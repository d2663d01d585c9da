import { circleBox, type Point } from '../../geo/shapes.ts'
import { errorSummary, COPY_SCRIPT } from '../../html/fields.ts'
import type { FormValues, FormState } from '../../html/form.ts'
import { formatAlternatives, truncate } from '../../html/format.ts'
import { breadcrumbList, publisher } from '../../html/json-ld.ts'
import { type Links, createLinks } from '../../html/links.ts'
import type { HtmlPage, PageMap } from '../../html/page.ts'
import { qrCode } from '../../html/qr-code.ts'
import { loginLinks, richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import { allowedTransitions, type TransitionName } from '../../issue-lifecycle/transitions.ts'
import { statuses, statusName } from '../../issue-lifecycle/status.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Preview } from '../../staff/previews.ts'
import { userName } from '../../users/present.ts'
import type { UserSummary } from '../../users/schema.ts'
import { mapSvg } from '../map/drawn/map-svg.ts'
import { embeddedMap, type PageMaps } from '../map/page-maps.ts'
import { toBounds } from '../map/shapes.ts'
import { actionPath } from './act-on-login.ts'
import { commentForm } from './issue-comment-form.ts'
import { conversation } from './issue-conversation.ts'
import {
  closingNotice,
  answerList,
  factList,
  issueHeader,
  imagesAndVideo,
  statusHistory,
  breadcrumbs,
  reportNotice,
} from './issue-facts.ts'
import { DOTS_MAX, type IssueView } from './issue-view.ts'
import { staffFields, staffSection } from './staff-section.ts'

/** The stream of a small area around an issue, which it leaves if it is moved or hidden. */
function changesOf({ lng, lat }: Point, to: Links['to']): string {
  const { west, south, east, north } = circleBox({ lng, lat }, 1)
  const box = { min_lng: west, min_lat: south, max_lng: east, max_lat: north }
  return to(`${apiPrefix}/changes/stream`, { ...box, status: statuses.join(), 'fields[issue]': 'id', tiles: 14 })
}

function neighbourhoodMap({ row, texts, isPublic, layers, dots }: IssueView, { to }: Links, maps: PageMaps): SafeHtml {
  const near = dots.filter(({ id }) => id !== row.id)
  const drawing = mapSvg({
    label: texts(dots.length < DOTS_MAX ? 'issue.map' : 'issue.mapOfNewest', { count: near.length }),
    ...layers,
    // Other issues step back behind the pin.
    dotsAround: near,
    pin: row,
    labels: { names: [] },
  })
  const map = embeddedMap(drawing, {
    ...maps.controls(texts.language),
    tileJson: to('/tiles/issues.json'),
    bounds: toBounds(layers.view),
    pin: { lng: row.lng, lat: row.lat },
    ...(isPublic ? { changes: { path: changesOf(row, to), issue: row.id, texts: texts.section('issue.news') } } : {}),
  })
  return html`<figure class="frame">${map}
    <figcaption class="quiet">${texts('issue.mapHint')}
      <a href="${to('/watch', { lat: row.lat, lng: row.lng })}">${texts('issue.watchArea')}</a></figcaption>
  </figure>`
}

/** Newest comments in the structured data; search engines need no more. */
const COMMENTS_MAX = 20

/** Structured data of a public issue: a posting with its place and comments, and its breadcrumbs. */
function issueJsonLd({ issue, places: [place], texts }: IssueView, urls: Urls): object[] {
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

function actionSection({ viewer, texts, isPublic, row, issue }: IssueView, links: Links): SafeHtml | string {
  if (!isPublic) return ''
  if (!viewer) return anonymousActions(row.id, texts, links)
  const { voted, following, reporter } = issue.current_user_relationship
  const actionButton = (path: string, name: string) =>
    html`<form method="post" action="${links.to(`/issues/${row.id}/${path}`)}"><button>${name}</button></form>`
  // The API lets reporters vote for their own issue, too; the page only lets them withdraw such a vote.
  const voteRow = voted
    ? html`<li><span><b>${texts('issueForm.voted')}</b></span> ${actionButton('vote/delete', texts('issueForm.withdrawVote'))}</li>`
    : html`<li><span>${texts('issueForm.notVoted')}</span> ${actionButton('vote', texts('issueForm.vote'))}</li>`
  return html`<section class="part" id="part" aria-labelledby="part-name">
    <h2 id="part-name">${texts('issueForm.takePart')}</h2>
    <ul class="rows">
      ${reporter && !voted ? '' : voteRow}
      <li>${
        following
          ? html`<span><b>${texts('issueForm.following')}</b> ${texts('issueForm.followingHint')}</span> ${actionButton('follow/delete', texts('issueForm.unfollow'))}`
          : html`<span>${texts('issueForm.notFollowing')}</span> ${actionButton('follow', texts('issueForm.follow'))}`
      }</li>
    </ul>
  </section>`
}

/** The same choices without a session: the login takes the step. */
function anonymousActions(id: number, texts: Texts, { to }: Links): SafeHtml {
  const link = (action: 'vote' | 'follow') =>
    html`<a class="button" href="${to('/login', { return_to: actionPath(id, action) })}">${texts(`issueForm.${action}`)}</a>`
  return html`<section class="part" id="part" aria-labelledby="part-name">
    <h2 id="part-name">${texts('issueForm.takePart')}</h2>
    <ul class="rows"><li><span>${texts('issueForm.notVoted')}</span> ${link('vote')}</li><li><span>${texts('issueForm.notFollowing')}</span> ${link('follow')}</li></ul>
  </section>`
}

function loginPrompt({ row, texts }: IssueView, { to }: Links): SafeHtml {
  const return_to = `/issues/${row.id}#say`
  const possible = ['comment', 'vote', 'follow', ...allowedTransitions(row.status, 'resident')] as const
  const actions = formatAlternatives(
    possible.map((action) => texts(`issueForm.actions.${action}`)),
    texts.language,
  )
  return html`<p id="say">${richText(texts, 'issueForm.logIn', { ...loginLinks(to, return_to), actions })}</p>`
}

export interface RejectedIssueForm extends Required<FormState> {
  readonly form: 'comment' | 'action'
  readonly transition?: TransitionName | undefined
}

export interface IssuePageOptions {
  /** True right after the viewer reported the issue. */
  readonly isNew?: boolean
  readonly rejected?: RejectedIssueForm
  /** The mail of the answer that the form has. */
  readonly preview?: Preview
  /** The values of a prepared answer, or of one that is previewed. */
  readonly values?: FormValues
  readonly maps: PageMaps
  readonly map: PageMap
}

export function issuePage(
  view: IssueView,
  { isNew = false, rejected, preview, values: prepared = {}, maps, map }: IssuePageOptions,
  urls: Urls,
): HtmlPage {
  const { viewer, texts, issue, isPublic, report } = view
  const links = createLinks(urls)
  const { values, errors, transition } = (rejected?.form === 'comment' && isPublic ? rejected : undefined) ?? {
    values: prepared,
    errors: {},
    transition: undefined,
  }
  const above = rejected && !(rejected.form === 'comment' && isPublic) ? rejected : { values: {}, errors: {} }
  const isOwn = issue.current_user_relationship.reporter
  const title = truncate(issue.summary, 80)
  return {
    title: rejected ? texts('issue.rejectedTitle', { title }) : title,
    description: truncate([statusName(issue.status, texts.language), issue.address, issue.description].filter(Boolean).join(' · ')),
    ...(rejected || preview || (report && report.moderation_state !== 'passed')
      ? {}
      : { canonical: `/issues/${issue.id}`, jsonLd: issueJsonLd(view, urls) }),
    image: issue.media.image_full,
    script: COPY_SCRIPT,
    map,
    reportView: `17/${issue.lat}/${issue.lng}`,
    ...(viewer && isPublic ? { formModule: maps.path('issue-page/comment-draft.ts') } : {}),
    body: html`${breadcrumbs(view, links)}
      <p id="map-news" class="news" role="status"></p>
      <article>
        ${issueHeader(view, links)}
        ${closingNotice(view, links)}
        ${errorSummary(above.errors, staffFields(texts), texts.language)}
        ${report ? reportNotice(view, report, isNew, links) : ''}
        <div class="two-columns">
          <div>
            ${issue.description ? html`<p class="text">${issue.description}</p>` : ''}
            ${imagesAndVideo(view, links)}
            ${statusHistory(view)}
            ${factList(view, links)}
            ${actionSection(view, links)}
          </div>
          <div>${neighbourhoodMap(view, links, maps)}${shareSection(view, links)}</div>
        </div>
        ${answerList(view, links)}
        ${staffSection(view, links, above)}
        ${conversation(view, urls)}
        ${viewer ? '' : loginPrompt(view, links)}
        ${viewer && isPublic ? commentForm(view, { formKey: newSecret(), values, errors, transition, preview }, links) : ''}
        <p class="quiet flag">${isOwn ? '' : html`<a href="${links.to(`/issues/${issue.id}/flag`)}">${texts('issue.flag')}</a>`}</p>
      </article>`,
  }
}

/** The short link as text, on paper as a QR code, too, and a button that the script shows. Only the link of a public issue opens for others. */
function shareSection({ issue, isPublic, texts }: IssueView, { relative }: Links): SafeHtml | string {
  if (!isPublic) return ''
  const { shortened_url: url, summary } = issue
  return html`${qrCode(url, texts('issue.qrCode', { url }))}<p class="share">${texts('issue.shortLink')} <a href="${relative(url)}">${url}</a>
    <button class="second" type="button" hidden data-copies="${url}" data-title="${summary}" data-done="${texts('issue.linkCopied')}">${texts('issue.share')}</button></p>`
}
