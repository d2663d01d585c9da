import { html, type SafeHtml } from '../../html/template.ts'
import { type TransitionName, allowedTransitions } from '../../issue-lifecycle/transitions.ts'
import { selectField, type FieldErrors } from '../../html/fields.ts'
import type { IssueView } from './issue-view.ts'
import type { Links } from '../../html/links.ts'

export function actionSection(
  { viewer, isPublic, row, issue, colleagues }: IssueView,
  links: Links,
  errors: FieldErrors,
): SafeHtml | string {
  if (!viewer || !isPublic) return ''
  const { voted, following } = issue.current_user_relationship
  const actionButton = (path: string, name: string) =>
    html`<form method="post" action="${links.to(`/issues/${row.id}/${path}`)}"><button>${name}</button></form>`
  return html`<section class="part" id="part" aria-labelledby="part-name">
    <h2 id="part-name">Take part</h2>
    <ul class="rows">
      <li>${
        voted
          ? html`<span><b>You voted for it.</b></span> ${actionButton('vote/delete', 'Remove your vote')}`
          : html`<span>Does it concern you, too?</span> ${actionButton('vote', 'Vote for it')}`
      }</li>
      <li>${
        following
          ? html`<span><b>You follow it.</b> You get mails about it at your confirmed address.</span> ${actionButton('follow/delete', 'Unfollow')}`
          : html`<span>Do you want mails about it?</span> ${actionButton('follow', 'Follow')}`
      }</li>
    </ul>
    ${row.actor_role === 'employee' ? assignForm({ issue, colleagues, viewer }, links.to(`/issues/${row.id}/assignee`), errors) : ''}
  </section>`
}

export const UNASSIGNED = 'unassigned'

/** An assignee who left the organisation stays selectable until another one is chosen. */
function assignForm(
  {
    issue: { assignee },
    colleagues,
    viewer,
  }: Pick<IssueView, 'issue' | 'colleagues'> & { readonly viewer: { readonly id: number } },
  action: string,
  errors: FieldErrors,
): SafeHtml {
  const candidates = assignee && !colleagues.some(({ id }) => id === assignee.id) ? [assignee, ...colleagues] : colleagues
  const choices = candidates.map(({ id, name }) => ({ key: String(id), name: id === viewer.id ? `${name} (you)` : name }))
  return html`<form class="assign" method="post" action="${action}">
    ${selectField({
      name: 'assignee_id',
      label: 'Assignee',
      choices: [{ key: UNASSIGNED, name: 'Unassigned' }, ...choices],
      value: assignee ? String(assignee.id) : UNASSIGNED,
      hasDefault: true,
      required: true,
      error: errors['assignee_id'],
    })}
    <p><button class="second">Assign</button></p>
  </form>`
}

const transitionTexts: Readonly<Record<TransitionName, string>> = {
  open: 'open it again',
  close: 'close it',
  acknowledge: 'acknowledge it',
}
const orList = new Intl.ListFormat('en-GB', { type: 'disjunction' })

export function loginPrompt({ row }: IssueView, { to }: Links): SafeHtml {
  const return_to = `/issues/${row.id}#say`
  const possible = allowedTransitions(row.status, 'resident').map((transition) => transitionTexts[transition])
  return html`<p id="say"><a class="button primary" href="${to('/login', { return_to })}">Log in</a> or
    <a href="${to('/register', { return_to })}">register</a> to ${orList.format(['comment', 'vote for it', 'follow it', ...possible])}.</p>`
}
