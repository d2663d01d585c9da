import type { ValidationErrors } from '../../errors/problems.ts'
import type { Point } from '../../geo/shapes.ts'
import { timeZoneAt } from '../../geo/time-zone.ts'
import { hiddenFields } from '../../html/fields.ts'
import { readText, type FormValues, toFormValues } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { inLanguage, langAttribute } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { Upload } from '../../http/request/upload.ts'
import { toCategory } from '../../issues/categories.ts'
import type { Texts } from '../../locales/texts.ts'
import { parseReportFields } from '../../reporting/report-schema.ts'
import { otherRequestTypeIn } from '../../request-types/other.ts'
import type { RequestTypeRow } from '../../request-types/queries.ts'
import type { RequestType, RequestTypeQuestion, TranslatedQuestion } from '../../request-types/schema.ts'
import { formatPin, parsePin } from '../map/drawn/drawn-view.ts'

const PROBLEM_WORDS_MAX = 255

export interface ReportProgress {
  readonly point: Point | undefined
  readonly requestType: number | 'other' | undefined
  /** Errors of sent values. A missing value is not an error yet. */
  readonly errors: ValidationErrors
}

/** @param values `lat` and `lng`, then `type` or `request_type_id` once it is chosen */
export function readProgress(values: FormValues): ReportProgress {
  const [lat, lng] = [readText(values, 'lat').trim(), readText(values, 'lng').trim()]
  const request_type_id = readText(values, 'type') || readText(values, 'request_type_id')
  const { fields, errors } = parseReportFields({ lat, lng, request_type_id })
  const hasPoint = lat !== '' || lng !== ''
  const pointErrors = Object.entries(errors).filter(([name]) => hasPoint && (name === 'lat' || name === 'lng'))
  return { point: fields.point, requestType: fields.requestType, errors: Object.fromEntries(pointErrors) }
}

/** Returns what the resident wrote about the problem before choosing a type, without code units that PostgreSQL cannot store. */
export const readProblemWords = (values: FormValues): string =>
  readText(values, 'words').replaceAll('\0', ' ').trim().slice(0, PROBLEM_WORDS_MAX).toWellFormed()

/** Returns what the steps of a report carry to the choice of a point, as parameters of a link. */
export function carriedParameters(values: FormValues) {
  const type = readText(values, 'type')
  const from = parsePin(readText(values, 'from'))
  return {
    words: readProblemWords(values) || undefined,
    type: /^(other|[1-9]\d{0,9})$/.test(type) ? type : undefined,
    from: from && formatPin(from),
  }
}

export type CarriedParameters = ReturnType<typeof carriedParameters>

/** Returns first values of the form: the words as the summary, and the address of the point. */
export function withSuggestions(
  { questions }: RequestType,
  { words, address }: { readonly words: string; readonly address: string | undefined },
): FormValues {
  const key = ['summary', 'description'].find((name) => questions.some(({ primary_key }) => primary_key === name))
  return {
    ...(address === undefined ? {} : { address }),
    ...(words === '' || key === undefined ? {} : { answers: { [key]: words } }),
  }
}

export function answerValues(values: FormValues, { primary_key }: RequestTypeQuestion): readonly string[] {
  const answer = toFormValues(values['answers'])[primary_key]
  return [answer].flat().filter((value): value is string => typeof value === 'string')
}

export const hasFile = (answer: unknown): boolean => [answer].flat().some((value) => value instanceof Upload)

export const chosenTimeZone = (values: FormValues, { primary_key }: RequestTypeQuestion) =>
  readText(toFormValues(values['zone']), primary_key)

const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
const TIME_ZONE = /^[+-]\d{2}:\d{2}$/

/** Adds the chosen time zone, because a browser's date and time has none. */
export function toReportBody(values: FormValues, questions: readonly RequestTypeQuestion[]): FormValues {
  const answers: Record<string, unknown> = { ...toFormValues(values['answers']) }
  for (const question of questions.filter(({ question_type }) => question_type === 'datetime')) {
    const [local = ''] = answerValues(values, question)
    const zone = chosenTimeZone(values, question)
    if (!LOCAL_DATE_TIME.test(local) || !TIME_ZONE.test(zone)) continue
    answers[question.primary_key] = `${local.length === 16 ? `${local}:00` : local}${zone}`
  }
  return { ...values, answers }
}

export const timeZones = [
  ...['-12:00', '-11:00', '-10:00', '-09:30', '-09:00', '-08:00', '-07:00', '-06:00', '-05:00', '-04:00', '-03:30', '-03:00'],
  ...['-02:30', '-02:00', '-01:00', '+00:00', '+01:00', '+02:00', '+03:00', '+03:30', '+04:00', '+04:30', '+05:00', '+05:30'],
  ...['+05:45', '+06:00', '+06:30', '+07:00', '+08:00', '+08:45', '+09:00', '+09:30', '+10:00', '+10:30', '+11:00', '+12:00'],
  ...['+12:45', '+13:00', '+13:45', '+14:00'],
]

/** Returns the offset of the place's own time zone now, as the preselected choice for browsers without scripts. */
export function estimateTimeZone(point: Point, now: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: timeZoneAt(point), timeZoneName: 'longOffset' }).formatToParts(now)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '')
  return offset && timeZones.includes(offset) ? offset : '+00:00'
}

const ICON_PIXELS = 24

type Receiver = Pick<RequestType, 'organization' | 'organization_language'>

/** Returns the types of each organisation with its name and an id for it, then those of the community. */
function groupByOrganization<Type extends Receiver>(types: readonly Type[], texts: Texts) {
  return [...Map.groupBy(types, ({ organization }) => organization)].map(([organization, group], index) => ({
    isCommunity: organization === null,
    id: `types-${index}`,
    name:
      organization === null ? texts('report.community') : inLanguage(organization, group[0]?.organization_language, texts.language),
    group,
  }))
}

interface TypeStep {
  readonly path: string
  readonly point: Point
  readonly types: readonly RequestTypeRow[]
  /** The resident's own words about the problem. */
  readonly words: string
  /** The point of this report before another point or type was chosen. */
  readonly from: string | undefined
  /** The ids of the types that match the words, the best first; undefined without words. */
  readonly matches: readonly number[] | undefined
  readonly texts: Texts
  readonly links: Links
}

/** Step 2: the type, found by words or in the list of all types at the point. */
export function requestTypeChoice({ path, point, types, words, from, matches, texts, links: { to } }: TypeStep): SafeHtml {
  const parameters = { lat: point.lat, lng: point.lng }
  const href = (id: number | 'other') => to(path, { ...parameters, type: id, words: words === '' ? undefined : words, from })
  const icon = (category: string) =>
    html`<img src="${to(`/files/icons/${toCategory(category)}.svg`)}" width="${ICON_PIXELS}" height="${ICON_PIXELS}" alt="">`
  const link = (type: Pick<RequestTypeRow, 'title' | 'language' | 'category'> & { readonly id: number | 'other' }) =>
    html`<a href="${href(type.id)}"${langAttribute(type.language, texts.language)}>${icon(type.category)} ${type.title}</a>`
  const other = types.find(({ is_other }) => is_other)
  const sections = groupByOrganization(
    types.filter(({ is_other }) => !is_other),
    texts,
  ).map(
    ({ isCommunity, id, name, group }) => html`<section>
      <h2 id="${id}">${name}</h2>
      ${isCommunity ? communityHint(texts) : ''}
      <nav class="choices types" aria-labelledby="${id}">${group.map(link)}</nav>
    </section>`,
  )
  return html`<form class="search" role="search" method="get" action="${to(path)}">
      <label for="words">${texts('type.whatIsBroken')}</label>
      ${hiddenFields({ lat: String(point.lat), lng: String(point.lng), from })}
      <div><input id="words" name="words" type="search" maxlength="${PROBLEM_WORDS_MAX}" value="${words}" placeholder="${texts('type.example')}" required> <button>${texts('type.find')}</button></div>
    </form>
    ${matches === undefined ? '' : matchSection(types, matches, link, texts)}
    ${matches === undefined ? '' : html`<h2>${texts('type.all')}</h2>`}
    ${sections}
    <section>
      <h2>${texts('type.somethingElse')}</h2>
      ${receiverNote(other, texts)}
      <nav class="choices types" aria-label="${texts('type.somethingElse')}">${link({ id: other?.id ?? 'other', title: otherRequestTypeIn(texts.language).title, language: texts.language, category: 'other' })}</nav>
    </section>`
}

/** Says how far the author of a report is. */
export const reportStep = (step: number, steps: number, name: string, texts: Texts): SafeHtml =>
  html`<p class="step">${texts('report.step', { step, steps, name })}</p>`

/** A report is no call for help. */
export function emergencyNote(number: string | undefined, texts: Texts): SafeHtml {
  if (number === undefined) return html`<p class="note">${texts('report.emergency')}</p>`
  const link = (text: string) => html`<a href="tel:${number.replaceAll(/[ -]/g, '')}">${text}</a>`
  return html`<p class="note">${richText(texts, 'report.emergencyNumber', { number, link })}</p>`
}

/** Says which organisation receives a report, or what follows without one. */
export function receiverNote(type: Receiver | undefined, texts: Texts): SafeHtml {
  if (!type || type.organization === null) return html`<p class="quiet">${texts('report.noReceiver')}</p>`
  const organization = inLanguage(type.organization, type.organization_language, texts.language)
  return html`<p class="quiet">${richText(texts, 'report.receiver', { organization })}</p>`
}

function matchSection(
  types: readonly RequestTypeRow[],
  matches: readonly number[],
  link: (type: RequestTypeRow) => SafeHtml,
  texts: Texts,
): SafeHtml {
  const found = matches.flatMap((id) => types.filter((type) => type.id === id))
  if (found.length === 0) return html`<p role="status">${texts('type.noMatch')}</p>`
  return html`<section class="matches" aria-labelledby="matches">
    <h2 id="matches">${texts('type.matches')}</h2>
    <ul class="found">${found.map(
      (type) =>
        html`<li>${link(type)} <span class="quiet"${langAttribute(type.organization_language, texts.language)}>${type.organization ?? ''}</span></li>`,
    )}</ul>
  </section>`
}

const communityHint = (texts: Texts) => html`<p class="quiet">${texts('report.communityHint')}</p>`

export function requestTypeList(types: readonly RequestType[], texts: Texts): SafeHtml {
  const sections = groupByOrganization(types, texts).map(
    ({ isCommunity, name, group }) => html`<section>
      <h3>${name}</h3>
      ${isCommunity ? communityHint(texts) : ''}
      ${group.map(
        ({ title, language, questions }) =>
          html`<details class="card"><summary${langAttribute(language, texts.language)}>${title}</summary>${questionList(questions, texts)}</details>`,
      )}
    </section>`,
  )
  return html`${sections}`
}

function questionList(questions: readonly TranslatedQuestion[], texts: Texts): SafeHtml {
  if (questions.length === 0) return html`<p class="quiet">${texts('report.noQuestions')}</p>`
  return html`<ol class="questions">${questions.map((question) => questionItem(question, texts))}</ol>`
}

function questionItem(question: TranslatedQuestion, texts: Texts): SafeHtml {
  const { question_type, response_required, answer_kept_private, select_values } = question
  const details = [
    texts(`report.questionTypes.${question_type}`),
    question_type === 'note' ? null : response_required ? texts('report.required') : texts('report.optional'),
    answer_kept_private ? texts('report.privateAnswer') : null,
  ]
  const lang = langAttribute(question.language, texts.language)
  return html`<li><b${lang}>${question.question}</b> <span class="quiet">${details.filter(Boolean).join(' · ')}</span>
    ${select_values ? html`<ul${lang}>${select_values.map(({ name }) => html`<li>${name}</li>`)}</ul>` : ''}</li>`
}
