import { type FieldErrors, hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { readText, toFormValues, createForm, type Form } from '../../html/form.ts'
import { formatLocalDateTime } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'
import { inLanguage, langAttribute, type HtmlPage, narrowPage, pageTitles } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import type { DraftPicture } from '../../mail/draft-picture-url.ts'
import type { Draft, PublishedIssue } from '../../reporting/drafts/draft-queries.ts'
import type { RequestType, TranslatedQuestion } from '../../request-types/schema.ts'
import { DRAFT_PATH } from './drafts/draft-cookie.ts'
import { draftPicturePath } from './drafts/stored-pictures.ts'
import { spotPicture } from './drawn-point/drawn-point.ts'
import { answerValues, receiverNote, type ReportProgress } from './report-input.ts'

export interface DraftSummary {
  readonly draft: Draft
  readonly progress: ReportProgress
  readonly type: RequestType | undefined
  /** The name under which the report appears, unless its author hides it. */
  readonly author: string
  readonly texts: Texts
  /** Returns the addresses of whole pictures, for the owner of a mail. By default, the browser of the draft gets small pictures. */
  readonly pictureUrl?: (picture: DraftPicture) => string
}

const PICTURE_PIXELS = 100

/** Shows the contents of the draft in the words of the published page. */
export function draftSummary({ draft, progress, type, author, texts, pictureUrl }: DraftSummary, links: Links): SafeHtml {
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
  return html`${type ? html`<h2${langAttribute(type.language, texts.language)}>${type.title}</h2>${type.organization === null ? '' : receiverNote(type, texts)}` : ''}
    ${progress.point ? html`<p>${spotPicture(progress.point, texts, links)}</p>` : ''}
    <dl class="answers">
      <dt>${texts('draft.appearsUnder')}</dt><dd>${readText(toFormValues(formValues), 'anonymize_reporter') === 'true' ? texts('anonymousUser') : author}</dd>
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

export interface DonePage {
  readonly issue: PublishedIssue
  /** The token of the link that has published it; '' without one. */
  readonly token: string
  readonly errors?: FieldErrors
  readonly hasNewPassword?: boolean
}

/** The page after a report by e-mail alone. It offers a password for an account without one. */
export function donePage(page: DonePage, links: Links, texts: Texts): HtmlPage {
  const { issue, hasNewPassword = false, errors = {} } = page
  const { id, isPublic, withoutPassword } = issue
  const { to } = links
  const form = createForm(texts.language, { errors })
  const account = withoutPassword === undefined ? accountLinks(links, texts) : passwordForm(page, form, links, texts)
  return narrowPage({
    ...pageTitles(texts, 'openDraft.doneTitle', 'openDraft.description'),
    ...(withoutPassword === undefined ? {} : { script: PASSWORD_SCRIPT }),
    body: html`${form.errorSummary()}
      <p class="done" role="status">${isPublic ? texts('draftNotice.published') : texts('draftNotice.held')} ${hasNewPassword ? texts('openDraft.passwordSet') : ''}</p>
      <p>${isPublic ? html`<a class="button primary" href="${to(`/issues/${id}`)}">${texts('openDraft.seeReport', { id })}</a>` : texts('reportNotice.number', { id })}</p>
      <p>${texts('openDraft.news')}</p>
      ${account}`,
  })
}

/** The same links for every account: the sender may have entered the address of another person. */
const accountLinks = ({ to }: Links, texts: Texts) => html`<p>${texts('openDraft.account')}</p>
      <p class="buttons"><a class="button" href="${to('/login', { return_to: '/account/reports' })}">${texts('openDraft.logIn')}</a>
        <a class="button" href="${to('/password/forgot')}">${texts('openDraft.passwordByMail')}</a></p>`

function passwordForm({ token }: DonePage, form: Form, { to }: Links, texts: Texts): SafeHtml {
  const password = { hint: texts('password.passwordHint'), type: 'password', autocomplete: 'new-password', required: true } as const
  return html`<section aria-labelledby="password-title">
      <h2 id="password-title">${texts('openDraft.passwordTitle')}</h2>
      <p>${texts('openDraft.passwordHint')}</p>
      <form method="post" action="${to(`${DRAFT_PATH}/open/password`)}">
        ${hiddenField('token', token)}
        ${form.input('password', texts('login.password'), password)}
        <p><button class="second">${texts('password.setPassword')}</button></p>
      </form>
    </section>`
}
