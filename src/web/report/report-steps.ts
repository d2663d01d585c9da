import type { Point } from '../../geo/point.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { RequestTypeRow } from '../../request-types/queries.ts'
import type { RequestType, RequestTypeQuestion } from '../../request-types/schema.ts'
import { errorSummary, type FieldErrors, inputField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'

/** Step 1: the point. A script shows the button that reads the position of the device. */
export function pointForm(action: string, values: FormValues, errors: FieldErrors): SafeHtml {
  const coordinate = (name: 'lat' | 'lng', label: string, hint: string) =>
    inputField({ name, label, hint, value: readText(values, name), inputmode: 'text', required: true, error: errors[name] })
  return html`${errorSummary(errors, ['lat', 'lng'])}
    <form class="narrow" method="get" action="${action}">
      <p><button type="button" data-locate hidden>Use my location</button> <span role="status" data-located></span></p>
      <div class="pair">
        ${coordinate('lat', 'Latitude', 'From -90 to 90, north is positive.')}
        ${coordinate('lng', 'Longitude', 'From -180 to 180, east is positive.')}
      </div>
      <p class="quiet">Map apps show both numbers when you press and hold a spot.</p>
      <p><button>Continue</button></p>
    </form>`
}

export const groupByOrganization = <Type extends { readonly organization: string | null }>(types: readonly Type[]) => [
  ...Map.groupBy(types, ({ organization }) => organization),
]

export function requestTypeChoice(path: string, point: Point, types: readonly RequestTypeRow[], { to }: Links): SafeHtml {
  const href = (id: number | 'other') => to(path, { lat: point.lat, lng: point.lng, type: id })
  const sections = groupByOrganization<Omit<RequestTypeRow, 'id'> & { readonly id: number | 'other' }>([
    ...types,
    { id: 'other', title: 'Other', organization: null },
  ]).map(
    ([organization, group]) => html`<section>
      <h2>${organization ?? 'The community'}</h2>
      ${organization === null ? communityNote : ''}
      <nav class="choices" aria-label="${organization ?? 'The community'}">
        ${group.map(({ id, title }) => html`<a href="${href(id)}">${title}</a>`)}
      </nav>
    </section>`,
  )
  return html`${sections}
    <p class="quiet"><a href="${to(path)}">Choose another spot</a></p>`
}

const communityNote = html`<p class="quiet">No organisation is responsible for these. Anyone can see and solve them.</p>`

export function requestTypeList(types: readonly RequestType[]): SafeHtml {
  const sections = groupByOrganization(types).map(
    ([organization, group]) => html`<section>
      <h3>${organization ?? 'The community'}</h3>
      ${organization === null ? communityNote : ''}
      ${group.map(
        ({ title, questions }) => html`<details class="card"><summary>${title}</summary>${questionList(questions)}</details>`,
      )}
    </section>`,
  )
  return html`${sections}`
}

function questionList(questions: readonly RequestTypeQuestion[]): SafeHtml {
  if (questions.length === 0) return html`<p class="quiet">It has no questions.</p>`
  return html`<ol class="questions">${questions.map(questionItem)}</ol>`
}

function questionItem(question: RequestTypeQuestion): SafeHtml {
  const { question_type, response_required, answer_kept_private, select_values } = question
  const details = [
    questionTypeTexts[question_type],
    question_type === 'note' ? null : response_required ? 'required' : 'optional',
    answer_kept_private ? 'only the organisation sees the answer' : null,
  ]
  return html`<li><b>${question.question}</b> <span class="quiet">${details.filter(Boolean).join(' · ')}</span>
    ${select_values ? html`<ul>${select_values.map(({ name }) => html`<li>${name}</li>`)}</ul>` : ''}</li>`
}

const questionTypeTexts: Readonly<Record<RequestTypeQuestion['question_type'], string>> = {
  text: 'a short text',
  textarea: 'a text',
  select: 'one of these',
  multivaluelist: 'one or more of these',
  number: 'a number',
  datetime: 'a date and time',
  boolean: 'yes or no',
  note: 'a note to read',
  file: 'a picture',
}
