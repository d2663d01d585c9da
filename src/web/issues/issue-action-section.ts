import { html, type SafeHtml } from '../../html/template.ts'
import { allowedTransitions } from '../../issue-lifecycle/transitions.ts'
import { selectField, type FieldErrors } from '../../html/fields.ts'
import { issueFormTexts } from './issue-form-texts.ts'
import type { IssueView } from './issue-view.ts'
import { formatAlternatives } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'

export function actionSection(
  { viewer, language, isPublic, row, issue, colleagues }: IssueView,
  links: Links,
  errors: FieldErrors,
): SafeHtml | string {
  if (!viewer || !isPublic) return ''
  const texts = issueFormTexts[language]
  const { voted, following, reporter } = issue.current_user_relationship
  const actionButton = (path: string, name: string) =>
    html`<form method="post" action="${links.to(`/issues/${row.id}/${path}`)}"><button>${name}</button></form>`
  // The API lets reporters vote for their own issue, too; the page only lets them withdraw such a vote.
  const voteRow = voted
    ? html`<li><span><b>${texts.voted}</b></span> ${actionButton('vote/delete', texts.withdrawVote)}</li>`
    : html`<li><span>${texts.notVoted}</span> ${actionButton('vote', texts.vote)}</li>`
  return html`<section class="part" id="part" aria-labelledby="part-name">
    <h2 id="part-name">${texts.takePart}</h2>
    <ul class="rows">
      ${reporter && !voted ? '' : voteRow}
      <li>${
        following
          ? html`<span><b>${texts.following}</b> ${texts.followingHint}</span> ${actionButton('follow/delete', texts.unfollow)}`
          : html`<span>${texts.notFollowing}</span> ${actionButton('follow', texts.follow)}`
      }</li>
    </ul>
    ${row.actor_role === 'employee' ? assignForm({ issue, colleagues, viewer, language }, links.to(`/issues/${row.id}/assignee`), errors) : ''}
  </section>`
}

export const UNASSIGNED = 'unassigned'

/** An assignee who left the organisation stays selectable until another one is chosen. */
function assignForm(
  {
    issue: { assignee },
    colleagues,
    viewer,
    language,
  }: Pick<IssueView, 'issue' | 'colleagues' | 'language'> & { readonly viewer: { readonly id: number } },
  action: string,
  errors: FieldErrors,
): SafeHtml {
  const texts = issueFormTexts[language]
  const candidates = assignee && !colleagues.some(({ id }) => id === assignee.id) ? [assignee, ...colleagues] : colleagues
  const choices = candidates.map(({ id, name }) => ({ key: String(id), name: id === viewer.id ? texts.yourself(name) : name }))
  return html`<form class="assign" method="post" action="${action}">
    ${selectField({
      name: 'assignee_id',
      label: texts.assignee,
      choices: [{ key: UNASSIGNED, name: texts.unassigned }, ...choices],
      value: assignee ? String(assignee.id) : UNASSIGNED,
      hasDefault: true,
      required: true,
      error: errors['assignee_id'],
      language,
    })}
    <p><button class="second">${texts.assign}</button></p>
  </form>`
}

export function loginPrompt({ row, language }: IssueView, { to }: Links): SafeHtml {
  const texts = issueFormTexts[language]
  const return_to = `/issues/${row.id}#say`
  const possible = ['comment', 'vote', 'follow', ...allowedTransitions(row.status, 'resident')] as const
  const actions = formatAlternatives(
    possible.map((action) => texts.actions[action]),
    language,
  )
  return html`<p id="say">${texts.logIn(
    (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`,
    (text) => html`<a href="${to('/register', { return_to })}">${text}</a>`,
    actions,
  )}</p>`
}
