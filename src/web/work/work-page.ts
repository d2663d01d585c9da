import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { hiddenField, inputField, selectField, errorSummary } from '../../html/fields.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { outcomes, outcomeName, statusName, type Status, statuses } from '../../issue-lifecycle/status.ts'
import type { WorkKind, WorkPlace, WorkOrganization } from '../../organizations/work-queries.ts'
import { lateKinds } from '../../staff/targets/conditions.ts'
import {
  defaultStatuses,
  findTab,
  type WorkQuery,
  isTab,
  tabNames,
  tabQuery,
  toFileParameters,
  toParameters,
  versionsPath,
  type WorkTab,
} from './work-query.ts'
import { formatNumber } from '../../html/format.ts'
import { inLanguage, type HtmlPage, pageTitles } from '../../html/page.ts'
import { pager } from '../../html/pager.ts'
import { richText } from '../../html/rich-text.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import type { IssueDot } from '../../issues/list/overview.ts'
import type { ListPage } from '../../issues/list/page.ts'
import type { View } from '../../staff/worklist/views.ts'
import type { TransferRow } from '../../staff/transfers/queries.ts'
import { toBounds } from '../map/shapes.ts'
import type { MapLayers } from '../map/drawn/map-layers.ts'
import { mapSvg } from '../map/drawn/map-svg.ts'
import { embeddedMap, type PageMaps } from '../map/page-maps.ts'
import { type WorkTable, workTable } from './work-table.ts'
import { viewTabs, viewsForm } from './work-views.ts'

interface WorkForm {
  readonly query: WorkQuery
  readonly organization: { readonly id: number }
  readonly organizations: readonly { readonly id: number; readonly name: string; readonly language: string }[]
  readonly kinds: readonly WorkKind[]
  readonly places: readonly WorkPlace[]
  readonly colleagues: readonly { readonly id: number; readonly name: string }[]
  readonly texts: Texts
  readonly language: Language
}

/** Addresses have a limit. Changes of more types are found once a minute. */
const TYPES_MAX = 100
const sorts = ['age', 'target', 'priority', 'created_at', 'rating'] as const
const priorities = ['3', '2', '1', '0'] as const

function workForm(view: WorkForm, { to }: Links): SafeHtml {
  const { query, organization, organizations, kinds, places, colleagues, texts, language } = view
  const chosen: readonly string[] = query.status ?? defaultStatuses
  const status = (name: Status) =>
    html`<label class="choice"><input type="checkbox" name="status" value="${name.toLowerCase()}"${
      chosen.includes(name.toLowerCase()) ? html` checked` : ''
    }><span class="status ${name.toLowerCase()}">${statusName(name, language)}</span></label>`
  const select = (
    name: keyof WorkQuery,
    label: string,
    every: string,
    choices: readonly { readonly key: string; readonly name: string; readonly language?: string }[],
  ) =>
    selectField({
      ...{ name, label, value: String(query[name] ?? ''), choices: [{ key: '', name: every }, ...choices] },
      ...{ hasDefault: true, isConditional: true, language },
    })
  return html`<form class="filters work-filters" action="${to('/work')}" aria-label="${texts('work.filters')}">
    ${organizations.length > 1 ? '' : hiddenField('organization_id', String(organization.id))}
    <details${findTab(query) ? '' : html` open`}><summary>${texts('work.filters')}</summary>
    <div class="work-fields">
      ${
        organizations.length > 1
          ? selectField({
              name: 'organization_id',
              label: texts('work.organization'),
              value: String(organization.id),
              choices: organizations.map(({ id, name, language: own }) => ({ key: String(id), name, language: own })),
              ...{ hasDefault: true, required: true, language },
            })
          : ''
      }
      ${inputField({ name: 'search', label: texts('work.search'), value: query.search, maxlength: 200, isConditional: true, language })}
      ${inputField({ name: 'note', label: texts('work.note'), value: query.note, maxlength: 200, isConditional: true, language })}
      ${select(
        'request_types',
        texts('work.kind'),
        texts('work.everyKind'),
        kinds.map(({ title, language: own, ids }) => ({ key: ids.join(), name: title, language: own })),
      )}
      ${select(
        'place_url',
        texts('work.place'),
        texts('work.everywhere'),
        places.map(({ name, url_name }) => ({ key: url_name, name })),
      )}
      ${select('assignee', texts('work.columns.assignee'), texts('work.anyAssignee'), [
        ...[
          { key: 'me', name: texts('work.me') },
          { key: 'none', name: texts('work.notAssigned') },
        ],
        ...colleagues.map(({ id, name }) => ({ key: String(id), name })),
      ])}
      ${select('late', texts('work.columns.target'), texts('work.anyTarget'), [
        { key: 'acknowledge,close', name: texts('work.tabs.late') },
        ...lateKinds.map((kind) => ({ key: kind, name: texts(`work.late.${kind}`) })),
      ])}
      ${select(
        'priority',
        texts('staff.priority'),
        texts('work.anyPriority'),
        priorities.map((key) => ({ key, name: texts(`staff.priorities.${key}`) })),
      )}
      ${select(
        'outcome',
        texts('work.outcome'),
        texts('work.anyOutcome'),
        outcomes.map((key) => ({ key, name: outcomeName(key, language) })),
      )}
      ${inputField({ name: 'waiting_since_before', label: texts('work.waitingSince'), type: 'date', value: query.waiting_since_before, isConditional: true, language })}
      ${selectField({
        name: 'sort',
        label: texts('work.order'),
        value: query.sort ?? 'age',
        choices: sorts.map((sort) => ({ key: sort, name: texts(`work.sorts.${sort}`) })),
        ...{ hasDefault: true, required: true, language },
      })}
    </div>
    <fieldset class="field choices-inline"><legend>${texts('work.status')}</legend>${statuses.map(status)}</fieldset>
    <p class="buttons"><button class="second">${texts('work.apply')}</button> <a href="${to('/work', { organization_id: organization.id })}">${texts('work.reset')}</a></p>
    </details>
  </form>`
}

export interface WorkView extends Pick<
  WorkTable,
  'rows' | 'colleagues' | 'receivers' | 'templates' | 'rejected' | 'viewer' | 'mayWork' | 'now'
> {
  readonly query: WorkQuery
  readonly page: Page
  readonly organization: WorkOrganization
  readonly organizations: readonly WorkOrganization[]
  readonly kinds: readonly WorkKind[]
  readonly places: readonly WorkPlace[]
  readonly views: readonly View[]
  readonly counts: ReadonlyMap<WorkTab, number>
  /** The oldest open offers to and from the organisation. */
  readonly offers: readonly TransferRow[]
  readonly list: Pick<ListPage, 'entries' | 'issues'>
  readonly dots: readonly IssueDot[]
  /** They show all issues of the list with a margin, or the area of the organisation if there is none. */
  readonly layers: MapLayers
}

interface Context {
  readonly urls: Urls
  readonly maps: PageMaps
  readonly language: Language
}

export function workPage(view: WorkView, { urls, maps, language }: Context): HtmlPage {
  const { query, page, organization, list } = view
  const { entries, issues } = list
  const links = createLinks(urls)
  const texts = textsIn(language)
  const parameters = { ...toParameters(query), organization_id: organization.id }
  const path = links.to('/work', { ...parameters, page: page.page > 1 ? page.page : undefined })
  const table = workTable({ ...view, issues, path, links, texts, language })
  return {
    ...pageTitles(texts, 'work.title', 'work.description'),
    language,
    formModule: maps.path('worklist-page.ts'),
    body: html`<div class="work" data-work data-versions="${versionsPath(view, links)}" data-stream="${streamPath(view, links)}" data-changes="${JSON.stringify(texts.section('work.changes'))}">
      <h1>${texts('work.title')}</h1>
      <p class="quiet">${inLanguage(organization.name, organization.language, language)} · <a href="${links.to(`/organizations/${organization.id}/manage`)}">${texts('manage.link')}</a></p>
      <nav class="choices" aria-label="${texts('work.views')}">${tabNames.map((tab) => tabLink(tab, view, links, language))}${viewTabs(view, links)}</nav>
      <div class="work-tools">${workForm({ ...view, texts, language }, links)}${viewsForm(view, links, language)}</div>
      ${resultNotice(query, links, texts)}
      ${offerNotice(view, links, texts)}
      <p class="news" role="status" id="work-news"></p>
      <div class="work-columns">
        <section aria-labelledby="work-count">
          <div class="work-heading"><h2 id="work-count">${texts('work.issues', { count: entries })}</h2>
            <p class="buttons"><button class="second small" type="button" id="nearest" hidden>${texts('work.nearest')}</button>
              ${mayIn(view.viewer, 'report_for_caller', organization.id) ? html`<a class="button small" href="${links.to('/report')}">${texts('caller.link')}</a>` : ''}
              <a class="button small" href="${links.to('/exports/issues.csv', toFileParameters(query, organization.id))}">CSV</a>
              ${view.mayWork && entries > 0 ? html`<a class="button small" href="${links.to('/bulk', parameters)}">${texts('work.bulk.all', { count: entries })}</a>` : ''}
              <button class="second small" type="button" id="shortcuts" hidden>${texts('work.keys.title')}</button></p></div>
          ${issues.length > 0 ? table : html`${errorSummary(view.rejected?.errors ?? {}, [], language)}${emptyState(view, links, texts)}`}
          ${pager(page, entries, (number) => links.to('/work', { ...parameters, page: number }), language)}
        </section>
        <aside class="work-map" aria-label="${texts('work.map')}">${worklistMap(view, maps, texts)}</aside>
      </div>
      ${shortcutsDialog(texts)}
    </div>`,
  }
}

/** Returns the stream of the issues with the organisation's own types around its area, or nothing without any. */
function streamPath({ kinds, organization }: WorkView, { to }: Links): string {
  const { west: min_lng, south: min_lat, east: max_lng, north: max_lat } = organization
  const ids = kinds.flatMap((kind) => (kind.is_own ? kind.ids : [])).slice(0, TYPES_MAX)
  const query = { min_lng, min_lat, max_lng, max_lat, request_types: ids.join(), status: statuses.join(), 'fields[issue]': 'id' }
  return ids.length === 0 ? '' : to(`${apiPrefix}/changes/stream`, query)
}

function tabLink(tab: WorkTab, { query, organization, counts }: WorkView, { to }: Links, language: Language): SafeHtml {
  const href = to('/work', toParameters(tabQuery(tab, organization.id)))
  const count = formatNumber(counts.get(tab) ?? 0, language)
  return html`<a href="${href}"${isTab(tab, query) ? html` aria-current="true"` : ''}>${textsIn(language)(`work.tabs.${tab}`)} ${count}</a>`
}

/** Lists the issues that other organisations offer to this one. */
function offerNotice({ offers, organization }: WorkView, { to }: Links, texts: Texts): SafeHtml | string {
  const received = offers.filter((offer) => offer.to.id === organization.id)
  if (received.length === 0) return ''
  const rows = received.map(
    ({ issue_id, summary, from }) =>
      html`<li><a href="${to(`/issues/${issue_id}`)}#staff">#${issue_id} ${summary}</a> <span class="quiet">${from?.name}</span></li>`,
  )
  return html`<section class="offer" aria-labelledby="offers"><h2 id="offers">${texts('work.offers', { count: received.length })}</h2><ul>${rows}</ul></section>`
}

/** Says what the form did. Issues that others changed meanwhile are named. */
function resultNotice({ done, count = 0, changed = [], refused = [] }: WorkQuery, { to }: Links, texts: Texts): SafeHtml | string {
  if (done === undefined) return ''
  if (done === 'reported')
    return html`<div class="done" role="status"><p>${richText(texts, 'caller.reported', { number: html`<a href="${to(`/issues/${count}`)}">#${count}</a>` })}</p></div>`
  const names = (ids: readonly number[]) => ids.map((id) => `#${id}`).join(', ')
  return html`<div class="done" role="status"><p>${texts(`work.done.${done}`, { count })}</p>
    ${changed.length > 0 ? html`<p>${texts('work.changed', { issues: names(changed) })}</p>` : ''}
    ${refused.length > 0 ? html`<p>${texts('work.refused', { issues: names(refused) })}</p>` : ''}</div>`
}

function worklistMap({ list, dots, layers }: WorkView, maps: PageMaps, texts: Texts): SafeHtml {
  const summaries = new Map(list.issues.map(({ id, summary }) => [id, summary]))
  const drawing = mapSvg({ label: texts('work.mapOf', { count: dots.length }), ...layers, dots })
  const features = dots.map(({ id, lng, lat, status }) => ({
    type: 'Feature' as const,
    geometry: { type: 'Point' as const, coordinates: [lng, lat] },
    properties: { id, status: status.toLowerCase(), summary: summaries.get(id) },
  }))
  return embeddedMap(drawing, {
    ...maps.controls(texts.language),
    bounds: toBounds(layers.view),
    listed: { type: 'FeatureCollection', features },
  })
}

function emptyState({ query, organization, list }: WorkView, { to }: Links, texts: Texts): SafeHtml {
  const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
  if (list.entries > 0)
    return html`<p class="empty">${richText(texts, 'work.emptyPage', { first: link(to('/work', { ...toParameters(query) })) })}</p>`
  const tab = findTab(query)
  return html`<p class="empty">${tab ? texts(`work.empty.${tab}`) : richText(texts, 'work.noneMatches', { all: link(to('/work', { organization_id: organization.id })) })}</p>`
}

const keys = ['j', 'k', 'x', 'g', 'a', 't', 'c', '/', '?'] as const
const keyTexts = {
  j: 'next',
  k: 'previous',
  x: 'select',
  g: 'acknowledge',
  a: 'assign',
  t: 'transfer',
  c: 'close',
  '/': 'search',
  '?': 'help',
} as const

/** The script shows the dialog, and the shortcuts work only with it. They can be switched off (WCAG 2.1.4). */
const shortcutsDialog = (texts: Texts): SafeHtml =>
  html`<dialog id="shortcuts-dialog" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">${texts('work.keys.title')}</h2>
    <dl>${keys.map((key) => html`<div><dt><kbd>${key}</kbd></dt><dd>${texts(`work.keys.${keyTexts[key]}`)}</dd></div>`)}</dl>
    <p><label class="choice"><input type="checkbox" id="shortcuts-on" checked> ${texts('work.keys.on')}</label></p>
    <form method="dialog"><button>${texts('work.keys.dismiss')}</button></form></dialog>`
