import { selectField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import type { OfferedTemplate } from '../../staff/templates/templates.ts'
import type { IssueView } from './issue-view.ts'

type Offering = Pick<IssueView, 'row' | 'staff' | 'transitions' | 'texts'>

/** Returns the templates for an answer that keeps the status, and for the transitions that the caller may make. */
function offered({ row, staff, transitions }: Offering): readonly OfferedTemplate[] {
  const next = { open: 'Open', acknowledge: 'Acknowledged', close: 'Closed' } as const
  const reachable: readonly string[] = [row.status, ...transitions.map((name) => next[name])]
  return (staff?.templates ?? []).filter(({ statuses }) => statuses.length === 0 || statuses.some((one) => reachable.includes(one)))
}

/** The form loads the page again with the text of the chosen template. */
export function templateForm(view: Offering, { to }: Links): SafeHtml | string {
  const templates = offered(view)
  if (templates.length === 0) return ''
  const { row, texts } = view
  const choices = templates.map(({ id, title, statuses }) => {
    const names = statuses.map((status) => statusName(status, texts.language)).join(', ')
    return { key: String(id), name: names === '' ? title : `${title} (${names})` }
  })
  return html`<form class="template" action="${to(`/issues/${row.id}`)}#say">
    ${selectField({ name: 'template', label: texts('issueForm.template'), hint: texts('issueForm.templateHint'), choices, required: true, language: texts.language })}
    <p><button class="second">${texts('issueForm.useTemplate')}</button></p>
  </form>`
}

/** Returns the values of the comment form for the id of a template; none for an unknown one. */
export function templateValues(view: Offering, id: string): Readonly<Record<string, string>> {
  const template = offered(view).find((one) => String(one.id) === id)
  return template ? { comment: template.words, outcome: template.outcome ?? '' } : {}
}
