import type { Point } from '../../geo/point.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { otherRequestTypeIn } from '../../request-types/other.ts'
import type { RequestTypeRow } from '../../request-types/queries.ts'
import type { RequestType, RequestTypeQuestion } from '../../request-types/schema.ts'
import { errorSummary, type FieldErrors, inputField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'
import { reportTexts, type ReportTexts } from './report-texts.ts'

/** Step 1: the point. A script shows the button that reads the position of the device. */
export function pointForm(action: string, values: FormValues, errors: FieldErrors, language: Language): SafeHtml {
  const texts = reportTexts[language]
  const coordinate = (name: 'lat' | 'lng', label: string, hint: string) =>
    inputField({
      ...{ name, label, hint, language },
      value: readText(values, name),
      inputmode: 'text',
      required: true,
      error: errors[name],
    })
  return html`${errorSummary(errors, ['lat', 'lng'], language)}
    <form class="narrow" method="get" action="${action}">
      <p><button type="button" data-locate data-locating="${texts.locating}" data-not-located="${texts.notLocated}" hidden>${texts.useLocation}</button>
        <span role="status" data-located></span></p>
      <div class="pair">
        ${coordinate('lat', texts.latitude, texts.latitudeHint)}
        ${coordinate('lng', texts.longitude, texts.longitudeHint)}
      </div>
      <p class="quiet">${texts.coordinatesHint}</p>
      <p><button>${texts.continue}</button></p>
    </form>`
}

export const groupByOrganization = <Type extends { readonly organization: string | null }>(types: readonly Type[]) => [
  ...Map.groupBy(types, ({ organization }) => organization),
]

export function requestTypeChoice(
  path: string,
  point: Point,
  types: readonly RequestTypeRow[],
  { to }: Links,
  language: Language,
): SafeHtml {
  const texts = reportTexts[language]
  const href = (id: number | 'other') => to(path, { lat: point.lat, lng: point.lng, type: id })
  const sections = groupByOrganization<Omit<RequestTypeRow, 'id'> & { readonly id: number | 'other' }>([
    ...types,
    { id: 'other', title: otherRequestTypeIn(language).title, organization: null },
  ]).map(
    ([organization, group]) => html`<section>
      <h2>${organization ?? texts.community}</h2>
      ${organization === null ? communityHint(texts) : ''}
      <nav class="choices" aria-label="${organization ?? texts.community}">
        ${group.map(({ id, title }) => html`<a href="${href(id)}">${title}</a>`)}
      </nav>
    </section>`,
  )
  return html`${sections}
    <p class="quiet"><a href="${to(path)}">${texts.otherPoint}</a></p>`
}

const communityHint = (texts: ReportTexts) => html`<p class="quiet">${texts.communityHint}</p>`

export function requestTypeList(types: readonly RequestType[], texts: ReportTexts): SafeHtml {
  const sections = groupByOrganization(types).map(
    ([organization, group]) => html`<section>
      <h3>${organization ?? texts.community}</h3>
      ${organization === null ? communityHint(texts) : ''}
      ${group.map(
        ({ title, questions }) =>
          html`<details class="card"><summary>${title}</summary>${questionList(questions, texts)}</details>`,
      )}
    </section>`,
  )
  return html`${sections}`
}

function questionList(questions: readonly RequestTypeQuestion[], texts: ReportTexts): SafeHtml {
  if (questions.length === 0) return html`<p class="quiet">${texts.noQuestions}</p>`
  return html`<ol class="questions">${questions.map((question) => questionItem(question, texts))}</ol>`
}

function questionItem(question: RequestTypeQuestion, texts: ReportTexts): SafeHtml {
  const { question_type, response_required, answer_kept_private, select_values } = question
  const details = [
    texts.questionTypes[question_type],
    question_type === 'note' ? null : response_required ? texts.required : texts.optional,
    answer_kept_private ? texts.privateAnswer : null,
  ]
  return html`<li><b>${question.question}</b> <span class="quiet">${details.filter(Boolean).join(' · ')}</span>
    ${select_values ? html`<ul>${select_values.map(({ name }) => html`<li>${name}</li>`)}</ul>` : ''}</li>`
}
