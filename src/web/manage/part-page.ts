import { errorSummary, hiddenField } from '../../html/fields.ts'
import type { FormState } from '../../html/form.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import { type FormField, renderForm, summaryFields, type Part, type PartContext, type PartName, type Row } from './parts/part.ts'

export const doneKeys = ['saved', 'removed', 'moved', 'invited'] as const
export type DoneKey = (typeof doneKeys)[number]

export const managePath = (id: number) => `/organizations/${id}/manage`

/** Returns the path of the list of a part, or of the form of a part with one row. */
export const partPath = (part: Pick<Part<Row>, 'path'>, { organization, parent }: PartContext) =>
  `${managePath(organization.id)}/${part.path.replace(':item', String(parent))}`

/** A part whose rows belong to a row of another part has its list on the page of that row. */
export const isChild = ({ path }: Pick<Part<Row>, 'path'>) => path.includes('/')

/** Returns the path of the page with the list. */
export const listPath = (part: Pick<Part<Row>, 'path'>, context: PartContext) =>
  isChild(part) ? partPath(part, context).replace(/\/[^/]+$/, '') : partPath(part, context)

type Page = Pick<HtmlPage, 'title' | 'description' | 'language' | 'body'>

export function contentsPage(
  parts: readonly (PartName | 'area' | 'webhooks')[],
  context: PartContext,
  done: DoneKey | undefined,
): Page {
  const { organization, texts, links } = context
  const rows = parts.map(
    (
      name,
    ) => html`<li><span><a href="${links.to(name === 'webhooks' ? '/account/webhooks' : `${managePath(organization.id)}/${name}`)}">${texts(`manage.parts.${name}.title`)}</a>
      <br><span class="quiet">${texts(`manage.parts.${name}.hint`)}</span></span></li>`,
  )
  const title = texts('manage.title', { organization: organization.name })
  const body = html`<p class="trail"><a href="${links.to('/work', { organization_id: organization.id })}">${texts('menu.work')}</a></p>
    <h1>${title}</h1>${doneNotice(done, context)}<ul class="rows manage">${rows}</ul>`
  return { title, description: texts('manage.description'), body }
}

const addText = ({ name }: Pick<Part<Row>, 'name'>, texts: Texts) =>
  name === 'settings' || name === 'forwarding' || name === 'members' ? texts('manage.save') : texts(`manage.parts.${name}.add`)

const doneNotice = (done: DoneKey | undefined, { texts }: PartContext) =>
  done ? html`<p class="done" role="status">${texts(`manage.done.${done}`)}</p>` : ''

function trail(part: Part<Row>, context: PartContext, isList: boolean): SafeHtml {
  const { organization, texts, links } = context
  const path = managePath(organization.id)
  const link = (to: string, text: string) => html`<a href="${links.to(to)}">${text}</a>`
  const above = isChild(part) ? [link(`${path}/request-types`, texts('manage.parts.request-types.title'))] : []
  const own = isList || part.isSingle ? [] : [link(listPath(part, context), texts(`manage.parts.${part.name}.title`))]
  const all = [link(path, texts('manage.title', { organization: organization.name })), ...above, ...own]
  return html`<p class="trail">${all.map((one, n) => html`${n > 0 ? ' › ' : ''}${one}`)}</p>`
}

export function listPage(part: Part<Row>, items: readonly Row[], context: PartContext, done?: DoneKey): Page {
  const { texts } = context
  const title = texts(`manage.parts.${part.name}.title`)
  const body = html`${trail(part, context, true)}<h1>${title}</h1>${doneNotice(done, context)}
    <p class="quiet">${texts(`manage.parts.${part.name}.hint`)}</p>${rowList(part, items, context)}`
  return { title, description: texts('manage.description'), body }
}

/** The rows of a part with links to their forms, and a link to the form of a new one. */
export function rowList(part: Part<Row>, items: readonly Row[], context: PartContext): SafeHtml {
  const { texts, links } = context
  const path = links.to(partPath(part, context))
  const rows = items.map((item, index) => {
    const { title, details, isRetired } = part.describe(item, context)
    const up =
      part.reorder && index > 0
        ? html`<form method="post" action="${path}/${item.id}/up"><button class="second" aria-describedby="row-${item.id}">${texts('manage.up')}</button></form>`
        : ''
    const isLinked = mayTake(part, 'save', item, context) || mayTake(part, 'remove', item, context)
    const name = isLinked ? html`<a id="row-${item.id}" href="${path}/${item.id}">${title}</a>` : title
    return html`<li><span>${name}${isRetired ? html` <span class="quiet">${texts('manage.retired')}</span>` : ''}
      ${details ? html`<br><span class="quiet">${details}</span>` : ''}</span>${up}</li>`
  })
  return html`${rows.length > 0 ? html`<ul class="rows manage">${rows}</ul>` : html`<p class="empty">${texts('manage.none')}</p>`}
    ${mayTake(part, 'save', undefined, context) ? html`<p><a class="button primary" href="${path}/new">${addText(part, texts)}</a></p>` : ''}`
}

const mayTake = (part: Part<Row>, step: 'save' | 'remove', item: Row | undefined, context: PartContext): boolean =>
  part.allows?.(step, item, context) ?? true

interface EditForm extends Required<FormState> {
  readonly part: Part<Row>
  readonly item: Row | undefined
  readonly fields: readonly FormField[]
  readonly version: string
  readonly formKey: string
  readonly preview: SafeHtml | undefined
  /** The rows of the row. */
  readonly children: SafeHtml | undefined
  readonly done: DoneKey | undefined
}

export function formPage(form: EditForm, context: PartContext): Page {
  const { part, item, fields, values, errors, version, formKey, preview, children, done } = form
  const { texts, links } = context
  const heading = item ? texts(`manage.parts.${part.name}.title`) : addText(part, texts)
  const title = item && !part.isSingle ? part.describe(item, context).title : heading
  const action = `${links.to(partPath(part, context))}${part.isSingle ? '' : `/${item?.id ?? 'new'}`}`
  const maySave = mayTake(part, 'save', item, context)
  const removeText =
    item && part.remove && mayTake(part, 'remove', item, context)
      ? (part.removeText?.(item, context) ?? texts('manage.remove'))
      : undefined
  const editor = html`${
    maySave
      ? html`<form method="post" action="${action}"${preview ? html` data-preview="${action}/preview"` : ''}>
      ${hiddenField('version', version)}${hiddenField('form_key', formKey)}
      ${renderForm(fields, { values, errors, texts })}
      <p class="buttons"><button>${item ? texts('manage.save') : addText(part, texts)}</button>
        ${preview ? html`<button class="second" formaction="${action}/preview" formnovalidate>${texts('manage.preview')}</button>` : ''}</p>
    </form>`
      : ''
  }
    ${removeText === undefined ? '' : html`<form method="post" action="${action}/remove"><button class="second">${removeText}</button></form>`}
    ${children ?? ''}`
  const body = html`${trail(part, context, false)}<h1>${title}</h1>${doneNotice(done, context)}
    ${errorSummary(errors, summaryFields(fields), texts.language)}
    ${preview ? html`<div class="two-columns"><div>${editor}</div><aside id="preview" class="preview" aria-live="polite">${preview}</aside></div>` : html`<div class="narrow">${editor}</div>`}`
  return {
    title: `${heading} · ${context.organization.name}`,
    description: texts('manage.description'),
    body,
  }
}
