import type { Texts } from '../../locales/texts.ts'
import { readText, toFormValues } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'
import type { DraftPicture } from '../../mail/draft-picture-url.ts'
import { formatLocalDateTime } from '../../html/local-format.ts'
import { inLanguage, langAttribute } from '../../html/lang.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import type { RequestType, TranslatedQuestion } from '../../request-types/schema.ts'
import { spotPicture } from './drawn-point/spot-section.ts'
import { answerValues, type ReportProgress } from './report-input.ts'
import { draftPicturePath } from './drafts/draft-picture.ts'

interface DraftSummary {
  readonly draft: Draft
  readonly progress: ReportProgress
  readonly type: RequestType | undefined
  readonly texts: Texts
  /** Returns the addresses of whole pictures, for the owner of a mail. By default, the browser of the draft gets small pictures. */
  readonly pictureUrl?: (picture: DraftPicture) => string
}

const PICTURE_PIXELS = 100

/** Shows the contents of the draft in the words of the published page. */
export function draftSummary({ draft, progress, type, texts, pictureUrl }: DraftSummary, links: Links): SafeHtml {
  const { formValues, images } = draft
  const address = readText(toFormValues(formValues), 'address')
  const show = (number: number) =>
    pictureUrl ? wholePicture(pictureUrl(number), number, texts) : picture(links.to(draftPicturePath(number)), number, texts)
  const answers = (type?.questions ?? []).flatMap((question) => {
    const values = answerValues(toFormValues(formValues), question).filter((value) => value !== '')
    if (values.length === 0) return []
    return [
      html`<dt${langAttribute(question.language, texts.language)}>${question.question}</dt><dd class="text">${writeAnswer(values, question, progress, texts)}</dd>`,
    ]
  })
  return html`${type ? html`<h2${langAttribute(type.language, texts.language)}>${type.title}</h2>` : ''}
    ${progress.point ? html`<p>${spotPicture(progress.point, texts, links)}</p>` : ''}
    <dl class="answers">
      ${address === '' ? '' : html`<dt>${texts('draft.place')}</dt><dd>${address}</dd>`}
      ${answers}
      ${images.length > 0 ? html`<dt>${texts('draft.pictures')}</dt><dd class="buttons">${images.map((_image, index) => show(index + 1))}</dd>` : ''}
    </dl>`
}

const wholePicture = (url: string, number: number, texts: Texts) =>
  html`<img class="report-picture" src="${url}" alt="${texts('draft.picture', { number })}">`

const picture = (url: string, number: number, texts: Texts) =>
  html`<img src="${url}" width="${PICTURE_PIXELS}" height="${PICTURE_PIXELS}" alt="${texts('draft.picture', { number })}">`

function writeAnswer(
  values: readonly string[],
  { question_type, select_values, language: own }: TranslatedQuestion,
  { point }: ReportProgress,
  texts: Texts,
): SafeHtml | string {
  const [first = ''] = values
  switch (question_type) {
    case 'select':
    case 'multivaluelist':
      return inLanguage(
        values.map((value) => select_values?.find(({ key }) => key === value)?.name ?? value).join(', '),
        own,
        texts.language,
      )
    case 'boolean':
      return first === 'true' ? texts('report.yes') : texts('report.no')
    case 'datetime':
      return point && !Number.isNaN(Date.parse(first))
        ? formatLocalDateTime(new Date(first).toISOString(), texts.language, point)
        : first
    default:
      return values.join(', ')
  }
}
