import type { Language, Texts } from '../../locales/texts.ts'
import { hiddenField, inputField, selectField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { outcomes, outcomeName, statusName, type Status } from '../../issue-lifecycle/status.ts'
import type { WorkKind, WorkPlace } from '../../organizations/work-queries.ts'
import { lateKinds } from '../../staff/targets/conditions.ts'
import { defaultStatuses, type WorkQuery } from './work-query.ts'

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

const chosenStatuses: readonly Status[] = ['Open', 'Acknowledged', 'Closed', 'Archived']
const sorts = ['age', 'target', 'priority', 'created_at', 'rating'] as const
const priorities = ['3', '2', '1', '0'] as const

export function workForm(view: WorkForm, { to }: Links): SafeHtml {
  const { query, organization, organizations, kinds, places, colleagues, texts, language } = view
  const statuses: readonly string[] = query.status ?? defaultStatuses
  const { organization_id: _id, page: _page, per_page: _perPage, sort: _sort, ...filters } = query
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const status = (name: Status) =>
    html`<label class="choice"><input type="checkbox" name="status" value="${name.toLowerCase()}"${
      statuses.includes(name.toLowerCase()) ? html` checked` : ''
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
    <details${isFiltered ? html` open` : ''}><summary>${texts('work.filters')}</summary>
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
    <fieldset class="field choices-inline"><legend>${texts('work.status')}</legend>${chosenStatuses.map(status)}</fieldset>
    <p class="buttons"><button class="second">${texts('work.apply')}</button> <a href="${to('/work', { organization_id: organization.id })}">${texts('work.reset')}</a></p>
    </details>
  </form>`
}
