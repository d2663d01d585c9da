import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { Problem } from '../../errors/problems.ts'
import { unfollowIssue } from '../../follows/follow.ts'
import { sendPrivatePage, type HtmlPage, pageTitles } from '../../html/page.ts'
import { requirePageLogin, seeOther, type Links, createLinks } from '../../html/links.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { PageQuery, toPage, type Page } from '../../http/lists/pagination.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { IssueParams, statusName, statuses } from '../../issue-lifecycle/status.ts'
import { listFollowedIssues, listOwnReports, type OwnIssueRow, type OwnIssues, type OwnState } from '../../issues/own-queries.ts'
import type { Services } from '../../services.ts'
import { draftNotice } from '../report/drafts/draft-notice.ts'
import { limitIssueWrites } from '../../issue-lifecycle/lock-issue.ts'
import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { formatNumber, formatLocalDate } from '../../html/format.ts'
import { pager } from '../../html/pager.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toIssue } from '../../issues/present.ts'
import { accountSection } from '../account/account-sections.ts'
import { issueNumber, statusBadge } from '../cards/cards.ts'

const ownStates = ['open', 'acknowledged', 'closed', 'archived', 'pending', 'rejected'] as const
const followedStates = ['open', 'acknowledged', 'closed', 'archived'] as const
const { page } = PageQuery.properties
const queryOf = <const States extends readonly string[]>(states: States) =>
  Type.Object({
    page,
    status: Type.Optional(stringEnum(states)),
  })
const ReportsQuery = queryOf(ownStates)
const FollowingQuery = Type.Object({ ...queryOf(followedStates).properties, done: Type.Optional(Type.String()) })

/** The lists of a logged-in user: own reports, and followed issues. */
export const ownIssuePages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services

  app.addHook('onRequest', requirePageLogin(urls, ownListPath('following')))

  app.get(ownListPath('reports'), { schema: { querystring: ReportsQuery } }, async (request, reply) =>
    sendList(request, reply, 'reports', request.query),
  )
  app.get(ownListPath('following'), { schema: { querystring: FollowingQuery } }, async (request, reply) =>
    sendList(request, reply, 'following', request.query, request.query.done === 'unfollowed'),
  )

  app.post('/account/following/:id/delete', { schema: { params: IssueParams } }, async (request, reply) => {
    const input = { issue_id: request.params.id, by: requireViewer(request), request_id: request.id }
    try {
      await limitIssueWrites(db, input.issue_id).transaction((tx) => unfollowIssue(tx, input))
    } catch (error) {
      // A double click sends the form twice.
      if (!(error instanceof Problem && error.status === 422)) throw error
    }
    return seeOther(reply, urls, `${ownListPath('following')}?done=unfollowed`)
  })

  async function sendList(
    request: FastifyRequest,
    reply: FastifyReply,
    list: OwnList,
    query: Static<typeof ReportsQuery>,
    hasUnfollowed = false,
  ) {
    const page = toPage(query)
    const only = query.status
    const read = list === 'reports' ? listOwnReports : listFollowedIssues
    const found = await read(db, requireViewer(request), only && toOwnState(only), page)
    const texts = pageTexts(request)
    const draft = list === 'reports' ? await draftNotice(request, services, texts) : ''
    return sendPrivatePage(request, reply, urls, ownIssuesPage({ ...found, list, only, page, draft, hasUnfollowed }, urls, texts))
  }
}

type OwnList = 'reports' | 'following'

/** A value of the parameter `status`; `pending` is the word of the page for `held`. */
type OwnStateParameter = (typeof ownStates)[number]

interface OwnIssuesPage extends OwnIssues {
  readonly list: OwnList
  readonly only: OwnStateParameter | undefined
  readonly page: Page
  /** Leads to a report that is not published yet. */
  readonly draft: SafeHtml | string
  readonly hasUnfollowed: boolean
}

/** Every part of the page gets this. */
interface Context {
  readonly links: Links
  readonly urls: Urls
  readonly texts: Texts
}

function toOwnState(parameter: OwnStateParameter): OwnState {
  return parameter === 'pending' ? 'held' : (statuses.find((status) => status.toLowerCase() === parameter) ?? 'rejected')
}

const ownListPath = (list: OwnList) => `/account/${list}`

function ownIssuesPage(view: OwnIssuesPage, urls: Urls, texts: Texts): HtmlPage {
  const { list, only, page, entries, issues, hasUnfollowed } = view
  const links = createLinks(urls)
  const context = { links, urls, texts, language: texts.language }
  const hasAny = Object.keys(view.counts).length > 0
  const content = html`${view.draft}${hasUnfollowed ? html`<p class="done" role="status">${texts('ownIssues.unfollowed')}</p>` : ''}
    <p class="quiet">${texts(`ownIssues.${list}.intro`)}</p>
    ${hasAny ? stateLinks(view, context) : ''}
    ${hasAny ? html`<h2>${texts(`ownIssues.${list}.count`, { count: entries })}</h2>` : ''}
    ${issues.length > 0 ? html`<ul class="cards">${issues.map((issue) => ownIssueCard(issue, list, context))}</ul>` : emptyState(view, context)}
    ${pager(page, entries, (number) => links.to(ownListPath(list), { status: only, page: number }), texts.language)}`
  return {
    ...pageTitles(texts, `accountSections.sections.${list}`, `ownIssues.${list}.description`),
    body: accountSection(list, content, links, texts),
  }
}

function stateName(state: OwnState, { texts }: Context): string {
  return state === 'held' || state === 'rejected' ? texts(`ownIssues.${state}`) : statusName(state, texts.language)
}

/** Links to the states that have issues, and to the selected one. */
function stateLinks({ list, only, counts }: OwnIssuesPage, context: Context): SafeHtml {
  const { links, texts } = context
  const link = (name: string, status: OwnStateParameter | undefined, count: number) =>
    html`<a href="${links.to(ownListPath(list), { status })}"${status === only ? html` aria-current="true"` : ''}>${name} ${formatNumber(count, texts.language)}</a>`
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const choices = ownStates.flatMap((parameter) => {
    const state = toOwnState(parameter)
    const count = counts[state] ?? 0
    return count > 0 || parameter === only ? [link(stateName(state, context), parameter, count)] : []
  })
  return html`<nav class="choices" aria-label="${texts('ownIssues.status')}">${link(texts('ownIssues.all'), undefined, total)}${choices}</nav>`
}

function emptyState({ list, only, counts, entries }: OwnIssuesPage, { links: { to }, texts }: Context): SafeHtml {
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  const path = ownListPath(list)
  if (entries > 0)
    return html`<p class="empty">${richText(texts, 'ownIssues.emptyPage', { first: link(to(path, { status: only })) })}</p>`
  if (Object.keys(counts).length > 0)
    return html`<p class="empty">${richText(texts, 'ownIssues.noneInState', { all: link(to(path)) })}</p>`
  const next =
    list === 'reports'
      ? richText(texts, 'ownIssues.reports.next', { first: link(to('/report')), second: link(to('/')) })
      : richText(texts, 'ownIssues.following.next', { first: link(to('/')), second: link(to('/account/watch-areas')) })
  return html`<div class="empty"><h2>${texts(`ownIssues.${list}.empty`)}</h2><p>${next}</p></div>`
}

function ownIssueCard(row: OwnIssueRow, list: OwnList, { links, urls, texts }: Context): SafeHtml {
  const { relative, to } = links
  const issue = toIssue(row, urls)
  const image = relative(issue.media.image_square_100x100 ?? issue.media.representative_image_url)
  const { moderation_state: state, anonymous } = row
  const badge =
    state === 'passed' ? statusBadge(issue, texts.language) : html`<b class="hidden-state">${texts(`ownIssues.${state}`)}</b>`
  const unfollow = html`<form method="post" action="${to(`/account/following/${issue.id}/delete`)}">
    <button class="second" aria-label="${texts('ownIssues.unfollowIssue', { summary: issue.summary })}">${texts('ownIssues.unfollow')}</button></form>`
  const local = (iso: string) => formatLocalDate(iso, texts, issue)
  const date =
    list === 'reports' ? local(issue.created_at) : richText(texts, 'ownIssues.changed', { date: local(issue.updated_at) })
  return html`<li class="card issue">
    <img src="${image}" width="48" height="48" alt="" loading="lazy">
    <div>
      <h3><a href="${relative(issue.html_url)}">${issue.summary}</a></h3>
      <p class="quiet">${badge} ${issueNumber(issue)} · ${date}${issue.address ? ` · ${issue.address}` : ''}${list === 'reports' && anonymous ? ` · ${texts('ownIssues.anonymous')}` : ''}</p>
      ${list === 'following' ? unfollow : ''}
    </div>
  </li>`
}
