import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { inLanguage, text, type Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { type ConfirmationState, confirmEmail, findConfirmation } from '../../accounts/emails/confirmation.ts'
import { CONFIRM_PASSWORD_WRONG } from '../../accounts/emails/rules.ts'
import { findRevertState, revertEmailChange, type RevertState } from '../../accounts/emails/revert.ts'
import { LinkToken } from '../../accounts/emails/schema.ts'
import { problems } from '../../errors/problems.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { listPendingMemberships } from '../../organizations/queries.ts'
import type { ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { type FieldErrors, hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { createForm, readText, toFormValues } from '../../html/form.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, narrowPage, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'
import { DRAFT_PATH } from '../report/drafts/draft-cookie.ts'
import { draftNoticeSection, findWaitingDraft } from '../report/drafts/draft-notice.ts'
import { publishedPath, publishValidDraft } from '../report/keep-draft.ts'
import { mailPageTexts } from './mail-page-texts.ts'

/** Longer passwords cannot exist and are not hashed. */
const PASSWORD_MAX = 500

/** GET changes nothing, because virus scanners open every link. The button confirms, with the account's password. */
export const confirmPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, links, urls } = services
  app.addHook('onSend', preventUrlLeaks)

  app.get('/emails/confirm', async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const found = await findConfirmation(db, token)
    if (found.state === 'invalid') void reply.code(422)
    const texts = mailPageTexts(request, ownerLocale(found))
    const form = await openForm(services, found, token)
    return sendPrivatePage(request, reply, urls, confirmationPage(found, form, links, texts))
  })

  app.post('/emails/confirm', { config: { hasMailToken: true } }, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    const { isNew, ...found } = await confirmEmail(db, token, async (userId) => {
      const password = readText(toFormValues(request.body), 'password')
      const isPossible = password !== '' && password.length <= PASSWORD_MAX
      return isPossible ? reply.checkOwnPassword(userId, password) : undefined
    })
    if (found.state === 'confirmed') request.writerId = found.owner.id
    else void reply.code(422)
    const texts = mailPageTexts(request, ownerLocale(found))
    const isPublishing = readText(toFormValues(request.body), 'publish') === 'true'
    if (found.state !== 'wrong password') {
      const draft = isNew && isPublishing && found.state === 'confirmed' && (await findWaitingDraft(services, found.owner.id))
      const published = draft ? await publishValidDraft(request, services, draft, found.owner) : undefined
      const form = { ...(await openForm(services, found, token)), published }
      return sendPrivatePage(request, reply, urls, confirmationPage(found, form, links, texts))
    }
    const open = { ...found, state: 'open' } as const
    const errors = { password: { language: texts.language, texts: [inLanguage(CONFIRM_PASSWORD_WRONG, texts.language)] } }
    const form = { ...(await openForm(services, open, token)), isPublishing, errors }
    return sendPrivatePage(request, reply, urls, confirmationPage(open, form, links, texts))
  })
}

/** The same page at its path in the interface. Register it under /api/v2. */
export const apiConfirmPage: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services
  app.addHook('onSend', preventUrlLeaks)
  app.get(
    '/emails/confirm',
    {
      schema: {
        operationId: 'getEmailConfirmationPage',
        summary: 'Look at the page that confirms an e-mail address',
        description: 'A page with a button. Opening it changes nothing.',
        tags: ['E-mails'],
        querystring: Type.Object({ token: LinkToken }),
        response: {
          200: { description: 'A page with a button that confirms.', content: { 'text/html': { schema: Type.String() } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.query
      const found = await findConfirmation(db, token)
      if (found.state === 'invalid') throw problems.invalid({ token: text('confirmation_link_expired') })
      const texts = mailPageTexts(request, ownerLocale(found))
      const form = await openForm(services, found, token)
      return sendPrivatePage(request, reply, urls, confirmationPage(found, form, createLinks(urls), texts)) as never
    },
  )
}

const ownerLocale = (found: { readonly state: string; readonly owner?: { readonly locale: string } }): string | undefined =>
  found.owner?.locale

async function listOrganizationsToJoin(db: Services['db'], found: ConfirmationState): Promise<string[]> {
  if (found.state !== 'open') return []
  return (await listPendingMemberships(db, found.email.email)).map(({ organization }) => organization)
}

interface ConfirmForm {
  readonly token: string
  readonly organizations: readonly string[]
  /** The account has a report that is not published yet. */
  readonly isDraftWaiting: boolean
  readonly isPublishing?: boolean
  readonly published?: ReportResult | undefined
  readonly errors?: FieldErrors
}

async function openForm(services: Services, found: ConfirmationState, token: string): Promise<ConfirmForm> {
  const isDraftWaiting = found.state !== 'invalid' && (await findWaitingDraft(services, found.owner.id)) !== undefined
  return { token, organizations: await listOrganizationsToJoin(services.db, found), isDraftWaiting }
}

function confirmationPage(
  found: ConfirmationState,
  { token, organizations, isDraftWaiting, isPublishing = true, published, errors = {} }: ConfirmForm,
  links: Links,
  texts: Texts,
): HtmlPage {
  const { to } = links
  switch (found.state) {
    case 'open': {
      const form = createForm(texts.language, { values: { publish: String(isPublishing) }, errors })
      const password = {
        hint: texts('confirmEmailPage.passwordHint'),
        ...({ type: 'password', autocomplete: 'current-password', required: true } as const),
      }
      const publish = () => form.checkbox('publish', texts('draftNotice.publish'), { hint: texts('draftNotice.publishHint') })
      const fields = html`${form.input('password', texts('confirmEmailPage.password'), password)}${isDraftWaiting ? publish() : ''}`
      return narrowPage({
        ...pageTitles(texts, 'confirmEmailPage.title', 'confirmEmailPage.description'),
        script: PASSWORD_SCRIPT,
        body: html`<p>${richText(texts, 'confirmEmailPage.question', { email: html`<b>${found.email.email}</b>`, owner: html`<b>${found.owner.name}</b>` })}</p>
          ${organizations.length === 0 ? '' : html`<p class="error-summary">${richText(texts, 'confirmEmailPage.membership', { organizations: html`<b>${organizations.join(', ')}</b>` })}</p>`}
          ${form.errorSummary()}
          <form method="post" action="${to('/emails/confirm')}">
            ${hiddenField('token', token)}
            ${fields}
            <p><button>${texts('confirmEmailPage.confirm')}</button></p>
          </form>
          <p class="quiet">${texts('confirmEmailPage.nothingHappened')}</p>`,
      })
    }
    case 'confirmed':
      return narrowPage({
        ...pageTitles(texts, 'confirmEmailPage.doneTitle', 'confirmEmailPage.doneDescription'),
        body: html`<p class="done">${richText(texts, 'confirmEmailPage.done', { email: html`<b>${found.email.email}</b>` })} ${isDraftWaiting || published ? '' : texts('confirmEmailPage.nothingLeft')}</p>
          ${published ? publishedSection(published, links, texts) : ''}
          ${isDraftWaiting ? draftNoticeSection(to('/login', { return_to: DRAFT_PATH }), texts) : ''}
          <p><a class="button" href="${to('/')}">${texts('confirmEmailPage.home')}</a></p>`,
      })
    case 'invalid':
      return narrowPage({
        ...pageTitles(texts, 'confirmEmailPage.invalidTitle', 'confirmEmailPage.invalidDescription'),
        body: html`<p>${texts('confirmEmailPage.invalid')}</p>
          <p>${texts('confirmEmailPage.anotherMail')}</p>
          <p><a class="button" href="${to('/account')}">${texts('confirmEmailPage.account')}</a></p>`,
      })
  }
}

/** A login is needed to see a report in review, and is skipped where its author is logged in. */
function publishedSection(report: ReportResult, { to }: Links, texts: Texts): SafeHtml {
  const path = report.isHeld ? to('/login', { return_to: publishedPath(report) }) : to(`/issues/${report.id}`)
  return html`<p class="done" role="status">${texts(report.isHeld ? 'draftNotice.held' : 'draftNotice.published')}</p>
    <p><a class="button primary" href="${path}">${texts('draftNotice.seeReport')}</a></p>`
}

/** The page behind the link of a mail about changed addresses. Opening it changes nothing; the button undoes the change. */
export const revertEmailChangePages: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls }) => {
  app.addHook('onSend', preventUrlLeaks)

  app.get('/emails/revert', async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const found = await findRevertState(db, token)
    if (found.state === 'invalid') void reply.code(422)
    return sendRevertPage(request, reply, found, token)
  })

  app.post('/emails/revert', { config: { hasMailToken: true } }, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    const found = await revertEmailChange(db, token)
    if (found.state === 'invalid') void reply.code(422)
    else request.writerId = found.userId
    return sendRevertPage(request, reply, found, token)
  })

  function sendRevertPage(request: FastifyRequest, reply: FastifyReply, found: RevertState, token: string) {
    const texts = mailPageTexts(request, found.state === 'invalid' ? null : found.locale)
    return sendPrivatePage(request, reply, urls, revertPage(found, token, links, texts))
  }
}

function revertPage(found: RevertState, token: string, { to }: Links, texts: Texts): HtmlPage {
  const nextLinks = html`<p><a class="button primary" href="${to('/password/forgot')}">${texts('revert.choosePassword')}</a>
            <a class="button" href="${to('/account')}">${texts('revert.account')}</a></p>`
  switch (found.state) {
    case 'open':
      return narrowPage({
        ...pageTitles(texts, 'revert.title', 'revert.description'),
        body: html`<p>${richText(texts, `revert.happened.${found.type}`, { email: html`<b>${found.email}</b>` })} ${texts(`revert.consequence.${found.type}`)}</p>
          <form method="post" action="${to('/emails/revert')}">
            ${hiddenField('token', token)}
            <p><button>${texts('revert.confirm')}</button></p>
          </form>
          <p class="quiet">${texts('revert.nothingHappened')}</p>`,
      })
    case 'done':
      return narrowPage({
        ...pageTitles(texts, 'revert.doneTitle', 'revert.doneDescription'),
        body: html`<p class="done">${richText(texts, `revert.reverted.${found.type}`, { email: found.email === null ? html`${texts('revert.theAddress')}` : html`<b>${found.email}</b>` })} ${texts('revert.sessionsEnded')}</p>
          <p>${texts('revert.nextStep')}</p>
          ${nextLinks}`,
      })
    case 'invalid':
      return narrowPage({
        ...pageTitles(texts, 'revert.invalidTitle', 'revert.invalidDescription'),
        body: html`<p>${texts('revert.invalid')}</p>${nextLinks}`,
      })
  }
}
