import { PASSED_ON_TO_MAX } from '../../comments/new-comment.ts'
import { selectField, hiddenField, pageError } from '../../html/fields.ts'
import { type Form, createForm, readText, type FormState } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { langAttribute } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { Upload } from '../../http/request/upload.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { employeeOutcomes, statusName } from '../../issue-lifecycle/status.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Preview } from '../../staff/previews.ts'
import type { OfferedTemplate } from '../../staff/templates.ts'
import type { IssueView } from './issue-view.ts'

/** The fields by which an employee says why the issue is closed. */
function closingFields(
  { row, transitions, texts }: Pick<IssueView, 'row' | 'transitions' | 'texts'>,
  form: Form,
): SafeHtml | string {
  if (row.actor_role !== 'employee' || !transitions.includes('close')) return ''
  const choices = employeeOutcomes.map((key) => ({ key, name: texts(`issueForm.outcomes.${key}`) }))
  return html`<div class="closing">
    ${form.select('outcome', texts('issueForm.outcome'), { hint: texts('issueForm.outcomeHint'), choices, isConditional: true })}
    ${outcomeDetails(form, texts)}</div>`
}

/** The style sheet shows each with its outcome only. */
export const outcomeDetails = (form: Form, texts: Texts): SafeHtml =>
  html`<div class="passed-on">${form.input('passed_on_to', texts('issueForm.passedOnTo'), { hint: texts('issueForm.passedOnToHint'), maxlength: PASSED_ON_TO_MAX, isConditional: true })}</div>
    <div class="duplicate">${form.input('duplicate_of', texts('issueForm.duplicateOf'), { inputmode: 'text', maxlength: 10, isConditional: true })}</div>`

type Offering = Pick<IssueView, 'row' | 'staff' | 'transitions' | 'texts'>

/** Returns the templates for an answer that keeps the status, and for the transitions that the caller may make. */
function offered({ row, staff, transitions }: Offering): readonly OfferedTemplate[] {
  const next = { open: 'Open', acknowledge: 'Acknowledged', close: 'Closed' } as const
  const reachable: readonly string[] = [row.status, ...transitions.map((name) => next[name])]
  return (staff?.templates ?? []).filter(({ statuses }) => statuses.length === 0 || statuses.some((one) => reachable.includes(one)))
}

/** The form loads the page again with the text of the chosen template. */
function templateForm(view: Offering, { to }: Links): SafeHtml | string {
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
  return template ? { comment: template.words, outcome: template.outcome ?? '', language: template.language } : {}
}

interface CommentForm extends Required<FormState> {
  /** Idempotency key: the same form sent twice makes one comment. */
  readonly formKey: string
  readonly transition: TransitionName | undefined
  readonly preview: Preview | undefined
}

/** Comment form with a button for each allowed transition. Enter submits the first button, which only comments. */
export function commentForm(
  view: IssueView,
  { formKey, values, errors: found, transition, preview }: CommentForm,
  links: Links,
): SafeHtml {
  const { to } = links
  const { viewer, row, issue, transitions, texts } = view
  const action = (step: string) => `${to(`/issues/${row.id}/${step}`)}#say`
  const saysFixed = row.actor_role === 'resident' && !issue.current_user_relationship.reporter && transitions.includes('close')
  const nameOf = (one: TransitionName) =>
    saysFixed && one === 'close' ? texts('issueForm.sayFixed') : texts(`issueForm.submitWith.${one}`)
  const errors = {
    ...(values['image'] instanceof Upload ? { image: pageError(texts, texts('field.choosePictureAgain')) } : {}),
    ...found,
  }
  const organization = viewer ? view.organizations.get(viewer.id) : undefined
  const form = createForm(texts.language, { values, errors })
  const hint = organization
    ? texts(organization.shows_people ? 'issueForm.answersAs' : 'issueForm.answersFor', { organization: organization.name })
    : texts('issueForm.commentHint')
  const fields = html`${form.textarea('comment', texts('issueForm.comment'), { hint, required: true, valueLanguage: readText(values, 'language') })}
    ${form.input('image', texts('issueForm.picture'), { type: 'file', hint: texts('field.pictureHint') })}
    ${form.input('youtube_url', texts('issueForm.video'), { inputmode: 'text', autocomplete: 'off', maxlength: 500 })}
    ${closingFields(view, form)}`
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">${texts('issueForm.writeComment')}</h2>
    <p class="quiet">${texts('reportNotice.otherProblem')} <a href="${to('/report', { view: `17/${row.lat}/${row.lng}` })}">${texts('reportNotice.reportIt')}</a>.</p>
    ${preview ? mailPreview(preview, texts) : form.errorSummary()}
    ${transition && !transitions.includes(transition) ? statusChangedNotice(texts) : ''}
    ${templateForm(view, links)}
    <form method="post" enctype="multipart/form-data" action="${action('comments')}" data-commenter="${String(viewer?.id)}">
      ${hiddenField('form_key', formKey)}
      ${fields}
      <p class="buttons">
        <button>${texts('issueForm.submit')}</button>
        ${transitions.map((one) => html`<button class="second" formaction="${action(one)}">${nameOf(one)}</button> `)}
      </p>
      ${row.actor_role === 'employee' ? previewButtons(action('preview'), transitions, texts) : ''}
      ${saysFixed ? html`<p class="quiet">${texts('issueForm.sayFixedHint')}</p>` : ''}
      ${row.status === 'Archived' ? html`<p class="quiet">${texts('issueForm.archivedHint')}</p>` : ''}
    </form>
  </section>`
}

const statusChangedNotice = (texts: Texts) =>
  html`<p class="waiting"><b>${texts('issueForm.statusChanged')}</b> ${texts('issueForm.statusChangedHint')}</p>`

/** Returns a button of the comment form for the mail of each of its answers. */
function previewButtons(action: string, transitions: readonly TransitionName[], texts: Texts): SafeHtml {
  const button = (name: SafeHtml | string, title: string) =>
    html`<button class="second small" formaction="${action}"${name} aria-label="${texts('mailPreview.of', { answer: title })}">${title}</button> `
  return html`<p class="buttons previews"><span>${texts('mailPreview.button')}</span>
    ${button('', texts('issueForm.submit'))}
    ${transitions.map((one) => button(html` name="transition" value="${one}"`, texts(`issueForm.submitWith.${one}`)))}</p>`
}

/** The mail that the answer would send, and the number of its recipients. */
function mailPreview({ is_held, locale, subject, text, recipients }: Preview, texts: Texts): SafeHtml {
  const kinds = (['reporter', 'followers', 'watchers'] as const).filter((kind) => recipients[kind] > 0)
  const mail = html`<ul>${kinds.map((kind) => html`<li>${texts(`mailPreview.recipients.${kind}`, { count: recipients[kind] })}</li>`)}</ul>
    <p><b${langAttribute(locale, texts.language)}>${subject}</b></p>
    <p class="text"${langAttribute(locale, texts.language)}>${text}</p>`
  return html`<section class="offer mail" role="status" aria-labelledby="mail-name"><h3 id="mail-name">${texts('mailPreview.title')}</h3>
    ${is_held ? html`<p>${texts('mailPreview.held')}</p>` : kinds.length === 0 ? html`<p>${texts('mailPreview.none')}</p>` : mail}
    <p class="quiet">${texts('mailPreview.hint')}</p></section>`
}
