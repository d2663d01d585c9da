import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type ContentChoice, eraseAccount, exportKey, findLinkOwner } from '../../accounts/erasure.ts'
import { hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { createForm, type FormValues, readText, toFormValues, type Form, type FormState } from '../../html/form.ts'
import { narrowPage, preventUrlLeaks, sendPrivatePage, pageTitles, type HtmlPage } from '../../html/page.ts'
import { seeOther, type Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { type Texts, type Language, languageOf, languages, textsIn } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import { mailPageTexts } from './mail-page-texts.ts'
import { richText } from '../../html/rich-text.ts'
import type { Email } from '../../accounts/emails/schema.ts'
import type { PlaceRow } from '../../places/queries.ts'
import type { TokenRow } from '../../accounts/tokens/queries.ts'
import type { DailyMailSetting } from '../../staff/mails/settings.ts'
import type { Settings } from '../../users/settings-queries.ts'
import { formatDate } from '../../html/format.ts'
import { placeNamesAmong } from '../cards/cards.ts'
import { accountSection, accountSectionPath, type SettingsSection } from './account-sections.ts'

export const readChoice = (values: FormValues): ContentChoice => (readText(values, 'delete_content') === 'true' ? 'delete' : 'keep')

const page = (texts: Texts, name: 'erasure' | 'erased' | 'linkExpired', body: SafeHtml) =>
  narrowPage({
    ...pageTitles(texts, `dataLinks.${name}.title`, `dataLinks.${name}.description`),
    body,
  })

/** The pages behind the links of mails that delete an account and that download its data. Opening the first changes nothing. */
export const dataLinkPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, files, links: { to }, urls }) => {
  app.addHook('onSend', preventUrlLeaks)

  const expired = (texts: Texts) =>
    page(
      texts,
      'linkExpired',
      html`<p>${texts('dataLinks.linkExpired.description')}</p><p><a class="button primary" href="${to('/account/data')}">${texts('accountSections.sections.data')}</a></p>`,
    )

  app.get('/erasure', async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const owner = await findLinkOwner(db, token, 'erase_account')
    const texts = mailPageTexts(request, owner?.locale)
    if (!owner) return sendPrivatePage(request, reply.code(422), urls, expired(texts))
    const form = html`<p>${texts('account.eraseHint')}</p>
      <form method="post" action="${to('/erasure')}">
        ${hiddenField('token', token)}
        ${eraseChoice(createForm(texts.language), texts)}
        <p><button>${texts('account.eraseButton')}</button></p>
      </form>`
    return sendPrivatePage(request, reply, urls, page(texts, 'erasure', form))
  })

  app.post('/erasure', { config: { hasMailToken: true } }, async (request, reply) => {
    const values = toFormValues(request.body)
    const owner = await findLinkOwner(db, readText(values, 'token'), 'erase_account')
    if (!owner) return sendPrivatePage(request, reply.code(422), urls, expired(pageTexts(request)))
    await eraseAccount({ db, files }, { userId: owner.id, content: readChoice(values) })
    return seeOther(reply, urls, '/erasure/done')
  })

  app.get('/erasure/done', async (request, reply) => {
    const texts = pageTexts(request)
    const body = html`<p class="done">${texts('dataLinks.erased.description')}</p>`
    return sendPrivatePage(request, reply, urls, page(texts, 'erased', body))
  })

  app.get('/export', async (request, reply) => {
    const owner = await findLinkOwner(db, readText(toFormValues(request.query), 'token'), 'download_export')
    const file = owner && (await files.open(exportKey(owner.id)))
    if (!file) return sendPrivatePage(request, reply.code(422), urls, expired(mailPageTexts(request, owner?.locale)))
    void reply.headers({ 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="fixpoint-data.zip"' })
    return reply.header('content-length', file.bytes).send(file.stream)
  })
}

const successKeys = ['saved', 'password', 'mailed', 'removed', 'export', 'erasure'] as const
/** The parameter `done` selects the message after a form was saved. */
export type SuccessKey = (typeof successKeys)[number]
export const isSuccessKey = (text: unknown): text is SuccessKey => successKeys.some((key) => key === text)

export interface AccountPage extends Required<FormState> {
  readonly section: SettingsSection
  readonly settings: Settings
  readonly dailyMails: readonly DailyMailSetting[]
  readonly emails: readonly Email[]
  readonly refusedEmails: readonly number[]
  readonly tokens: readonly TokenRow[]
  readonly places: readonly PlaceRow[]
  readonly done: SuccessKey | undefined
}

/** Every part of the page gets this. */
interface Context {
  readonly links: Links
  readonly texts: Texts
  /** The fields of all forms of the section. */
  readonly form: Form
}

export function accountPage(links: Links, page: AccountPage, texts: Texts): HtmlPage {
  const { section, values, errors, done } = page
  const form = createForm(texts.language, { values, errors })
  const sectionContent = sectionContents[section]({ links, texts, form }, page)
  const content = html`<div class="narrow">
    ${done ? html`<p class="done" role="status">${texts(`account.done.${done}`)}</p>` : ''}
    ${form.errorSummary()}
    ${sectionContent}
  </div>`
  return {
    ...pageTitles(texts, `accountSections.sections.${section}`, 'account.description'),
    ...(section === 'password' || section === 'data' ? { script: PASSWORD_SCRIPT } : {}),
    body: accountSection(section, content, links, texts),
  }
}

const sectionContents: Readonly<Record<SettingsSection, (context: Context, page: AccountPage) => SafeHtml>> = {
  profile: (context, page) => html`${profileForm(context, page)}${imageForm(context, page.settings)}`,
  language: (context, page) => languageForms(context, page),
  emails: (context, page) => emailList(context, page),
  mails: (context, page) => mailForm(context, page),
  password: passwordForm,
  tokens: (context, page) => tokenList(context, page.tokens),
  data: dataForms,
}

function profileForm({ links, texts, form }: Context, { settings, places, values }: AccountPage): SafeHtml {
  const isSubmitted = values['name'] !== undefined
  const value = (field: 'name' | 'place_url_name') => (isSubmitted ? readText(values, field) : (settings[field] ?? ''))
  const nameOf = placeNamesAmong(places)
  const offered = places.map((place) => ({ key: place.url_name, name: nameOf(place) }))
  const home = settings.place_url_name
  // Keeps a home place that is not in the list.
  const choices = home === null || offered.some(({ key }) => key === home) ? offered : [{ key: home, name: home }, ...offered]
  const name = { hint: texts('account.nameHint'), value: value('name'), autocomplete: 'name', maxlength: 40, required: true }
  const checked = isSubmitted ? readText(values, 'share_location') === 'true' : settings.share_location
  return html`<form method="post" action="${links.to('/account')}">
    ${form.input('name', texts('account.name'), name)}
    ${form.select('place_url_name', texts('account.homePlace'), { choices, value: value('place_url_name') })}
    ${form.checkbox('share_location', texts('account.shareLocation'), { hint: texts('account.shareLocationHint'), checked })}
    <p><button>${texts('account.save')}</button></p>
  </form>`
}

/** The choice of the language of pages is a cookie of the browser; that of mails belongs to the account. */
function languageForms({ links: { to }, texts, form }: Context, { settings, values }: AccountPage): SafeHtml {
  const choices = languages.map(
    (one) =>
      html`<button class="second" name="language" value="${one}" lang="${one}"${one === texts.language ? html` aria-current="true"` : ''}>${textsIn(one)('language.name')}</button>`,
  )
  return html`<section>
    <h2>${texts('account.pageLanguage')}</h2>
    <p class="quiet">${texts('account.pageLanguageHint')}</p>
    <form class="buttons" method="post" action="${to('/language')}">
      ${hiddenField('return_to', accountSectionPath('language'))}${choices}
    </form>
  </section>
  <section>
    <h2>${texts('account.mailLanguage')}</h2>
    <form method="post" action="${to('/account/language')}">
      ${form.select('locale', texts('account.mailLanguageChoice'), {
        value: values['locale'] === undefined ? mailLocale(languageOf(settings.locale), settings) : readText(values, 'locale'),
        choices: languages.map((one) => ({ key: mailLocale(one, settings), name: textsIn(one)('language.name') })),
        hasDefault: true,
        required: true,
      })}
      <p><button>${texts('account.save')}</button></p>
    </form>
  </section>`
}

/** A locale with a region, which a browser or an app has set, stays as it is. */
const mailLocale = (one: Language, { locale }: Settings): string => (locale.toLowerCase().startsWith(`${one}-`) ? locale : one)

function imageForm({ links, texts, form }: Context, { avatar_square }: Settings): SafeHtml {
  const label = avatar_square ? texts('account.anotherPicture') : texts('account.choosePicture')
  return html`<section>
    <h2>${texts('account.picture')}</h2>
    ${
      avatar_square
        ? html`<div class="rows"><img src="${links.to(`/files/${avatar_square}`)}" width="100" height="100" alt="${texts('account.yourPicture')}">
            ${button(links.to('/account/picture/delete'), texts('account.delete'), texts('account.actionLabel', { action: texts('account.delete'), subject: texts('account.yourPicture') }))}</div>`
        : ''
    }
    <form method="post" enctype="multipart/form-data" action="${links.to('/account/picture')}">
      ${form.input('uploaded_data', label, { hint: texts('account.pictureHint'), type: 'file', required: true })}
      <p><button>${texts('account.savePicture')}</button></p>
    </form>
  </section>`
}

function passwordForm({ links, texts, form }: Context): SafeHtml {
  const field = (name: string, label: string, autocomplete: string, hint?: string) =>
    form.input(name, label, { hint, type: 'password', autocomplete, required: true })
  return html`<p class="quiet">${texts('account.passwordHint')}</p>
    <form method="post" action="${links.to('/account/password')}">
      ${field('current_password', texts('account.currentPassword'), 'current-password')}
      ${field('password', texts('account.newPassword'), 'new-password', texts('password.passwordHint'))}
      <p><button>${texts('account.changePassword')}</button></p>
    </form>`
}

function dataForms({ links: { to }, texts, form }: Context): SafeHtml {
  const password = { hint: texts('account.erasePasswordHint'), type: 'password', autocomplete: 'current-password' } as const
  return html`<section>
    <h2>${texts('account.export')}</h2>
    <p>${texts('account.exportHint')}</p>
    <form method="post" action="${to('/account/data/export')}"><p><button>${texts('account.requestExport')}</button></p></form>
  </section>
  <section>
    <h2>${texts('account.erase')}</h2>
    <p>${texts('account.eraseHint')}</p>
    <form method="post" action="${to('/account/data/erase')}">
      ${eraseChoice(form, texts)}
      ${form.input('current_password', texts('account.currentPassword'), password)}
      <p><button>${texts('account.eraseButton')}</button></p>
    </form>
  </section>`
}

const eraseChoice = (form: Form, texts: Texts): SafeHtml =>
  form.checkbox('delete_content', texts('account.eraseContent'), { hint: texts('account.eraseContentHint') })

const button = (action: string, text: string, label: string) =>
  html`<form method="post" action="${action}"><button aria-label="${label}">${text}</button></form>`

function emailList({ links: { to }, texts, form }: Context, { emails, refusedEmails }: AccountPage): SafeHtml {
  const rows = emails.map(({ id, email, confirmed }) => {
    const state = refusedEmails.includes(id) ? 'refused' : confirmed ? 'confirmed' : 'unconfirmed'
    return html`<li>
      <span>${email} <span class="quiet">${texts(`account.${state}`)}</span></span>
      <span class="actions">
        ${state === 'confirmed' ? '' : button(to(`/account/emails/${id}/confirmation`), texts('account.sendAgain'), texts('account.actionLabel', { action: texts('account.sendAgain'), subject: email }))}
        ${emails.length > 1 ? button(to(`/account/emails/${id}/delete`), texts('account.delete'), texts('account.actionLabel', { action: texts('account.delete'), subject: email })) : ''}
      </span>
    </li>`
  })
  return html`<p class="quiet">${texts('account.emailsHint')}</p>
    <ul class="rows">${rows}</ul>
    <form method="post" action="${to('/account/emails')}">
      ${form.input('email', texts('account.anotherEmail'), { type: 'email', autocomplete: 'email', required: true })}
      <p><button>${texts('account.addEmail')}</button></p>
    </form>`
}

function mailForm({ links: { to }, texts }: Context, { settings: { issue_mails }, dailyMails }: AccountPage): SafeHtml {
  const daily = dailyMails.map(
    ({ id, name, daily_mail }) => html`<section><h2>${texts('account.dailyMail', { name })}</h2>
    <p>${daily_mail ? texts('account.dailyMailOn') : texts('account.dailyMailOff')}</p>
    <form method="post" action="${to(`/account/mails/organizations/${id}`)}">
      ${hiddenField('daily_mail', String(!daily_mail))}
      <p><button>${daily_mail ? texts('account.turnDailyMailOff') : texts('account.turnDailyMailOn')}</button></p>
    </form></section>`,
  )
  return html`<p>${issue_mails ? texts('account.mailsOn') : texts('account.mailsOff')}</p>
    <form method="post" action="${to('/account/mails')}">
      ${hiddenField('issue_mails', String(!issue_mails))}
      <p><button>${issue_mails ? texts('account.turnOff') : texts('account.turnOn')}</button></p>
    </form>
    ${issue_mails ? daily : ''}
    <p class="quiet">${texts('account.watchAreasHint')} <a href="${to('/account/watch-areas')}">${texts('account.yourWatchAreas')}</a></p>`
}

function tokenList({ links: { to }, texts }: Context, tokens: readonly TokenRow[]): SafeHtml {
  const rows = tokens.map(({ id, name, created_at, expires_at }) => {
    const title = name ?? texts('account.token', { id })
    const ends = expires_at
      ? html`, ${richText(texts, 'account.tokenEnds', { date: formatDate(expires_at.toISOString(), texts.language) })}`
      : ''
    return html`<li>
      <span>${title} <span class="quiet">${richText(texts, 'account.tokenCreated', { date: formatDate(created_at.toISOString(), texts.language) })}${ends}</span></span>
      <span class="actions">${button(to(`/account/tokens/${id}/delete`), texts('account.delete'), texts('account.actionLabel', { action: texts('account.delete'), subject: title }))}</span>
    </li>`
  })
  return html`${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="quiet">${texts('account.noTokens')}</p>`}
    <p class="quiet">${richText(texts, 'account.tokensHint', { reference: (text) => html`<a href="${to('/docs')}">${text}</a>` })}</p>`
}
