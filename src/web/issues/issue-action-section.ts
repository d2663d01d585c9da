import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { allowedTransitions } from '../../issue-lifecycle/transitions.ts'
import { actionPath } from './act-on-login.ts'
import type { IssueView } from './issue-view.ts'
import { formatAlternatives } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'

export function actionSection({ viewer, texts, isPublic, row, issue }: IssueView, links: Links): SafeHtml | string {
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

export function loginPrompt({ row, texts }: IssueView, { to }: Links): SafeHtml {
  const return_to = `/issues/${row.id}#say`
  const possible = ['comment', 'vote', 'follow', ...allowedTransitions(row.status, 'resident')] as const
  const actions = formatAlternatives(
    possible.map((action) => texts(`issueForm.actions.${action}`)),
    texts.language,
  )
  return html`<p id="say">${richText(texts, 'issueForm.logIn', { logIn: (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`, register: (text) => html`<a href="${to('/register', { return_to })}">${text}</a>`, actions })}</p>`
}
