import { type Language, textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { allowedTransitions } from '../../issue-lifecycle/transitions.ts'
import { selectField, type FieldErrors } from '../../html/fields.ts'
import { actionPath } from './act-on-login.ts'
import type { IssueView } from './issue-view.ts'
import { formatAlternatives } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'

export function actionSection(
  { viewer, language, isPublic, row, issue, colleagues, staff }: IssueView,
  links: Links,
  errors: FieldErrors,
): SafeHtml | string {
  if (!isPublic) return ''
  const texts = textsIn(language)
  if (!viewer) return anonymousActions(row.id, language, links)
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
    ${row.actor_role === 'employee' ? assignForm({ issue, colleagues, staff, viewer, language }, links.to(`/issues/${row.id}/assignee`), errors) : ''}
  </section>`
}

/** The same choices without a session: the login takes the step. */
function anonymousActions(id: number, language: Language, { to }: Links): SafeHtml {
  const texts = textsIn(language)
  const link = (action: 'vote' | 'follow') =>
    html`<a class="button" href="${to('/login', { return_to: actionPath(id, action) })}">${texts(`issueForm.${action}`)}</a>`
  return html`<section class="part" id="part" aria-labelledby="part-name">
    <h2 id="part-name">${texts('issueForm.takePart')}</h2>
    <ul class="rows"><li><span>${texts('issueForm.notVoted')}</span> ${link('vote')}</li><li><span>${texts('issueForm.notFollowing')}</span> ${link('follow')}</li></ul>
  </section>`
}

export const UNASSIGNED = 'unassigned'

/** An assignee who left the organisation stays selectable until another one is chosen. */
function assignForm(
  {
    issue: { assignee },
    colleagues,
    staff,
    viewer,
    language,
  }: Pick<IssueView, 'issue' | 'colleagues' | 'staff' | 'language'> & { readonly viewer: { readonly id: number } },
  action: string,
  errors: FieldErrors,
): SafeHtml {
  const texts = textsIn(language)
  const candidates = assignee && !colleagues.some(({ id }) => id === assignee.id) ? [assignee, ...colleagues] : colleagues
  const choices = candidates.map(({ id, name }) => ({
    key: String(id),
    name: id === viewer.id ? texts('issueForm.yourself', { name }) : name,
  }))
  return html`<form class="assign" method="post" action="${action}">
    <input type="hidden" name="version" value="${staff?.version ?? ''}">
    ${selectField({
      name: 'assignee_id',
      label: texts('issueForm.assignee'),
      choices: [{ key: UNASSIGNED, name: texts('issueForm.unassigned') }, ...choices],
      value: assignee ? String(assignee.id) : UNASSIGNED,
      hasDefault: true,
      required: true,
      error: errors['assignee_id'],
      language,
    })}
    <p><button class="second">${texts('issueForm.assign')}</button></p>
  </form>`
}

export function loginPrompt({ row, language }: IssueView, { to }: Links): SafeHtml {
  const texts = textsIn(language)
  const return_to = `/issues/${row.id}#say`
  const possible = ['comment', 'vote', 'follow', ...allowedTransitions(row.status, 'resident')] as const
  const actions = formatAlternatives(
    possible.map((action) => texts(`issueForm.actions.${action}`)),
    language,
  )
  return html`<p id="say">${richText(texts, 'issueForm.logIn', { logIn: (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`, register: (text) => html`<a href="${to('/register', { return_to })}">${text}</a>`, actions })}</p>`
}
