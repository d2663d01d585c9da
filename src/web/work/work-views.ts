import type { FastifyInstance, FastifyRequest } from 'fastify'

import { Problem, problems } from '../../errors/problems.ts'
import { hiddenField, inputField } from '../../html/fields.ts'
import { type FormValues, readText, toFormValues } from '../../html/form.ts'
import { type Links, seeOther } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { idMax } from '../../http/schema/fields.ts'
import { type Language, text, type Texts, textsIn } from '../../locales/texts.ts'
import { findItem } from '../../organizations/content.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import {
  type View,
  VIEW_NAME_MAX,
  createViewCheck,
  addView,
  deleteView,
  listViews,
  moveViewUp,
} from '../../staff/worklist/views.ts'
import { toParameters, toWorklistQuery, type WorkQuery } from './work-query.ts'

interface ViewsOfPage {
  readonly views: readonly View[]
  readonly query: WorkQuery
  readonly organization: { readonly id: number }
  readonly viewer: Viewer
}

/** Returns the query of the list as a view stores it, with the defaults of the page. */
function toViewQuery(query: WorkQuery): string {
  const { organization_id: _id, per_page: _perPage, ...parameters } = toParameters({ ...query, ...toWorklistQuery(query) })
  const entries = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)])
  return new URLSearchParams(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString()
}

export function viewTabs({ views, query, organization }: ViewsOfPage, { to }: Links): SafeHtml[] {
  const present = toViewQuery(query)
  return views.map(
    (view) =>
      html`<a href="${to('/views', { organization_id: organization.id, id: view.id })}"${view.query === present ? html` aria-current="true"` : ''}>${view.name}</a>`,
  )
}

/** Returns the form that saves the filters and the order of the page, and buttons for the saved views that the caller may change. */
export function viewsForm({ views, query, organization, viewer }: ViewsOfPage, { to }: Links, language: Language): SafeHtml {
  const texts = textsIn(language)
  const mayShare = mayIn(viewer, 'manage_content', organization.id)
  const own = views.filter(({ is_shared }) => !is_shared || mayShare)
  const share = html`<label class="choice"><input type="checkbox" name="is_shared" value="true"> ${texts('work.savedViews.share')}</label>`
  const form = (content: SafeHtml) => html`<form method="post" action="${to('/views')}">
    ${hiddenField('organization_id', String(organization.id))}${hiddenField('query', toViewQuery(query))}${content}</form>`
  return html`<details class="work-views"><summary>${texts('work.savedViews.title')}</summary>
    ${form(html`${inputField({ name: 'name', label: texts('work.savedViews.name'), maxlength: VIEW_NAME_MAX, required: true, language })}
      ${mayShare ? share : ''}<p class="buttons"><button class="second" name="action" value="save">${texts('work.savedViews.save')}</button></p>`)}
    ${own.length > 0 ? form(html`<ul class="list">${own.map((view, index) => viewButtons(view, index, texts))}</ul>`) : ''}</details>`
}

function viewButtons({ id, name, is_shared }: View, index: number, texts: Texts): SafeHtml {
  const button = (action: 'up' | 'delete') =>
    html`<button class="second small" name="action" value="${action}-${id}" aria-label="${texts(`work.savedViews.${action}Named`, { name })}">${texts(`work.savedViews.${action}`)}</button>`
  return html`<li>${name}${is_shared ? html` <span class="quiet">${texts('work.savedViews.shared')}</span>` : ''} ${index > 0 ? button('up') : ''} ${button('delete')}</li>`
}

/** Opens, saves, moves and deletes views. */
export function addViewPages(app: FastifyInstance, { db, urls, areas, clock }: Services): void {
  const checkView = createViewCheck(app)

  app.get('/views', async (request, reply) => {
    const values = toFormValues(request.query)
    const organization_id = readId(values, 'organization_id')
    const viewer = await authorize(request, organization_id)
    const view = await findItem(listViews(db, organization_id, viewer), readId(values, 'id'), 'the_view')
    try {
      await checkView({ reader: db, areas, viewer, organizationId: organization_id, now: clock() }, view.query)
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 422 || error.body.kind !== 'fields') throw error
      throw problems.invalid({ [view.name]: text('view_outdated', { names: Object.keys(error.body.fields).join(', ') }) })
    }
    return seeOther(reply, urls, `/work?organization_id=${organization_id}&${view.query}`)
  })

  app.post('/views', async (request, reply) => {
    const values = toFormValues(request.body)
    const organization_id = readId(values, 'organization_id')
    const viewer = await authorize(request, organization_id)
    const change = { organization_id, viewer, now: clock() }
    const [query, name, action] = [readText(values, 'query'), readText(values, 'name').trim(), readText(values, 'action')]
    const [kind = '', id] = action.split('-')
    if (kind === 'save') {
      if (name === '' || name.length > VIEW_NAME_MAX)
        throw problems.invalid({ name: text('must_be', { allowed: text('a_text_between', { min: 1, max: VIEW_NAME_MAX }) }) })
      await checkView({ reader: db, areas, viewer, organizationId: organization_id, now: change.now }, query)
      await db.transaction((tx) => addView(tx, change, { name, query, is_shared: values['is_shared'] === 'true' }))
    } else if (kind === 'up' || kind === 'delete') {
      const view = readId({ action: id }, 'action')
      await db.transaction((tx) => (kind === 'up' ? moveViewUp(tx, change, view) : deleteView(tx, change, view)))
    } else throw problems.invalid({ action: text('must_be', { allowed: text('one_of', { values: 'save, up, delete' }) }) })
    return seeOther(reply, urls, `/work?organization_id=${organization_id}&${query}`)
  })

  /** @throws Problem 404 for an unknown organisation, 403 for callers who are no members */
  async function authorize(request: FastifyRequest, organizationId: number): Promise<Viewer> {
    const viewer = requireViewer(request)
    await requireOrganizationCapability(db, organizationId, viewer, 'read_issues')
    return viewer
  }
}

/** @throws Problem 422 that names the field */
function readId(values: FormValues, name: string): number {
  const id = Number(values[name])
  if (Number.isInteger(id) && id >= 1 && id <= idMax) return id
  throw problems.invalid({ [name]: text('must_be', { allowed: text('integer_between', { min: 1, max: idMax }) }) })
}
