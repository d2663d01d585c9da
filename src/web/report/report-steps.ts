import type { Texts } from '../../locales/texts.ts'
import type { Point } from '../../geo/point.ts'
import { hiddenFields } from '../../html/fields.ts'
import { inLanguage, langAttribute } from '../../html/lang.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { otherRequestTypeIn } from '../../request-types/other.ts'
import type { RequestTypeRow } from '../../request-types/queries.ts'
import type { RequestType, TranslatedQuestion } from '../../request-types/schema.ts'
import type { Links } from '../../html/links.ts'
import { toCategory } from '../../issues/categories.ts'
import { richText } from '../../html/rich-text.ts'
import { PROBLEM_WORDS_MAX } from './report-input.ts'

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

export interface TypeStep {
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
