import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problems, type ValidationErrors, orNotFound } from '../../errors/problems.ts'
import { formIdempotencyKey, formErrors, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { type Links, redirectToLogin, seeOther } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { countForm } from '../../http/auth/login.ts'
import { pageLanguage, pageTexts } from '../../http/errors/text-language.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { addIdempotency, releaseIdempotencyKey, idempotent, storedResult } from '../../http/idempotency/idempotency.ts'
import {
  type Draft,
  expiryAfter,
  findDraft,
  findPublishedIssue,
  removeDraft,
  isIncomplete,
  findIssueOfDraft,
  findMailedDraft,
} from '../../reporting/drafts/draft-queries.ts'
import type { ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { userName } from '../../users/present.ts'
import { DRAFT_PATH, draftReader, forgetDraft, PUBLISH_ON_LOGIN_PATH } from './drafts/draft-cookie.ts'
import { type DraftMailForm, emptyMailForm, draftMailSection, draftMailStatus } from './drafts/draft-notice.ts'
import { donePage, draftSummary, type DraftSummary } from './draft-summary.ts'
import { draftPictures, sendDraftPicture } from './drafts/stored-pictures.ts'
import { openDraftPages, type PublishForm, publishMailedForm } from './open-draft.ts'
import { findClaimQuestion } from './claim-question.ts'
import { findReportedType } from './find-reported-type.ts'
import { publishDraft, publishedPath } from './keep-draft.ts'
import { readProgress, reportStep } from './report-input.ts'
import Type from 'typebox'
import { text, type Texts } from '../../locales/texts.ts'
import { Id } from '../../http/schema/fields.ts'
import { EmailAddressWithDomain, toMailbox } from '../../http/schema/mailbox.ts'
import { requestDraftMail } from '../../reporting/report-queries.ts'
import { richText } from '../../html/rich-text.ts'
import { hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { formatLocalDateTime } from '../../html/format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { type DraftPicture, isDraftPictureSigned } from '../../mail/draft-picture-url.ts'
import { findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import { findIssue } from '../../issues/queries.ts'
import { drawNeighbourhood, createMapPictures } from '../map/issues-map-image.ts'

/** A report that waits until its author has opened the link of a mail or logged in. */
export const draftPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, links, urls, clock, draftMails } = services
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST') await countForm(reply)
  })
  addIdempotency(app, services, formIdempotencyKey)

  app.get(DRAFT_PATH, async (request, reply) => {
    const isRequested = toFormValues(request.query)['mail'] === 'requested'
    const reader = draftReader(request, urls)
    const draft = await findDraft(db, reader, clock())
    if (draft) return sendDraft(request, reply, draft, { mail: { ...emptyMailForm, isRequested } })
    const issue = reader.secretHash === undefined ? undefined : await findPublishedIssue(db, reader.secretHash, clock())
    if (!issue) throw problems.notFound('the_draft')
    return sendPrivatePage(request, reply, urls, donePage({ issue, token: '' }, links, pageTexts(request)))
  })

  app.post(`${DRAFT_PATH}/publish`, async (request, reply) => {
    const { viewer } = request
    if (!viewer) return redirectToLogin(request, reply, urls, DRAFT_PATH)
    const stored = storedResult<ReportResult>(request)
    if (stored) return seeOther(reply, urls, publishedPath(stored))
    const draft = await requireDraft(request)
    try {
      const result = await publishDraft(request, services, draft, viewer)
      forgetDraft(reply, urls)
      return seeOther(reply, urls, publishedPath(result))
    } catch (error) {
      validationErrorsFrom(error)
      await releaseIdempotencyKey(request, db)
      return sendDraft(request, reply.code(422), draft, { hasErrors: true })
    }
  })

  app.post(`${DRAFT_PATH}/discard`, async (request, reply) => {
    const { id } = await requireDraft(request)
    await removeDraft(db, id)
    forgetDraft(reply, urls)
    return seeOther(reply, urls, '/')
  })

  /** A link by mail, with which a resident publishes a report without an account. */
  const mailSchema = { body: Type.Object({ email: EmailAddressWithDomain }) }
  app.post(`${DRAFT_PATH}/mail`, { attachValidation: true, schema: mailSchema }, async (request, reply) => {
    const draft = await requireDraft(request)
    if (isIncomplete(draft) || draft.isClaimed) return sendDraft(request, reply.code(422), draft, { hasErrors: true })
    const sent = `${DRAFT_PATH}?mail=requested`
    if (storedResult(request)) return seeOther(reply, urls, sent)
    const email = readText(toFormValues(request.body), 'email').trim()
    let errors: ValidationErrors = formErrors(request)
    if (Object.keys(errors).length === 0) {
      const to = { draftId: draft.id, email: toMailbox(email), locale: pageLanguage(request), expires_at: expiryAfter(clock()) }
      const { isLast } = await draftMails.count(request, () =>
        idempotent(request, db, async (tx) => ({ isLast: !(await requestDraftMail(tx, to)) })),
      )
      if (!isLast) return seeOther(reply, urls, sent)
      errors = { email: text('draft_has_had_its_mails') }
    }
    await releaseIdempotencyKey(request, db)
    const mail = { ...emptyMailForm, email: email.slice(0, EMAIL_MAX), errors: translateErrors(request, errors) }
    return sendDraft(request, reply.code(422), draft, { mail })
  })

  // Reloading the path of a form in the browser sends GET.
  for (const step of ['mail', 'publish', 'discard'])
    app.get(`${DRAFT_PATH}/${step}`, async (_request, reply) => seeOther(reply, urls, DRAFT_PATH))

  async function requireDraft(request: FastifyRequest): Promise<Draft> {
    return orNotFound(await findDraft(db, draftReader(request, urls), clock()), 'the_draft')
  }

  await app.register(openDraftPages, services)
  await app.register(mailedDraftPictures, services)
  await app.register(draftPictures, { ...services, requireDraft })

  async function sendDraft(
    request: FastifyRequest,
    reply: FastifyReply,
    draft: Draft,
    { hasErrors = false, mail = emptyMailForm }: { readonly hasErrors?: boolean; readonly mail?: DraftMailForm },
  ) {
    const texts = pageTexts(request)
    const progress = readProgress(draft.formValues)
    const author = request.viewer ? userName(request.viewer, texts.language) : texts('draft.nameOfAddress')
    const summary = { draft, progress, type: await findReportedType(db.reader, progress, texts.language), author, texts }
    const question = draft.mailedTo === null ? '' : await findClaimQuestion(db, draft.mailedTo, texts)
    const state = { draft, hasErrors, isLoggedIn: request.viewer !== null, mail, question, texts }
    const { title, step = '', top, action } = partsOf(state, links)
    return sendPrivatePage(request, reply, urls, {
      title,
      description: texts('draft.description'),
      ...(question ? { script: PASSWORD_SCRIPT } : {}),
      body: html`<div class="narrow">
      ${step}
      <h1>${title}</h1>
      ${top}
      ${action}
      ${draftSummary(summary, links)}
      <p>${editLinks(summary, hasErrors, links)}</p>
      <p class="quiet">${richText(texts, 'draft.kept', { until: formatLocalDateTime(draft.expiresAt.toISOString(), texts.language, progress.point) })}</p>
      ${draft.isClaimed ? '' : html`<p class="note">${texts(draft.email === null ? 'draft.sharedDevice' : 'draft.sharedDeviceMailed')}</p>`}
      <form method="post" action="${links.to(`${DRAFT_PATH}/discard`)}"><p><button class="second">${texts('draft.discard')}</button></p></form>
    </div>`,
    })
  }
}

const EMAIL_MAX = 500

interface DraftState extends Omit<PublishForm, 'token'> {
  readonly hasErrors: boolean
  readonly isLoggedIn: boolean
  readonly mail: DraftMailForm
}

/** Returns what depends on the next step: a correction, the publication, an e-mail address or the mail. */
function partsOf(state: DraftState, links: Links) {
  const { draft, hasErrors, isLoggedIn, mail, texts } = state
  const formKey = newSecret()
  const errors = html`<p class="error-summary" role="alert">${texts('draft.errors')}</p>`
  if (isIncomplete(draft)) return { title: texts('draft.title'), top: errors, action: '' }
  const onlyYou = draft.isClaimed ? ` ${texts('draft.onlyYou')}` : ''
  const waiting = hasErrors ? errors : html`<p>${texts('draft.notPublished')}${onlyYou}</p>`
  if (isLoggedIn || draft.mailedTo !== null) {
    const publish = isLoggedIn ? publishForm(formKey, texts, links) : publishMailedForm({ ...state, token: '' }, links)
    return { title: texts('draft.title'), top: waiting, action: html`<p>${texts('draft.publishHint')}</p>${publish}` }
  }
  const mailSection = draftMailSection({ ...mail, sentTo: draft.email, formKey, texts }, links)
  const status = draftMailStatus(mail, draft, texts)
  if (draft.email !== null) return { title: texts('draftMail.sentTitle'), top: status, action: mailSection }
  const step = reportStep(3, 3, texts('report.steps.mail'), texts)
  return {
    title: texts('draftMail.title'),
    step,
    top: html`${status}${waiting}`,
    action: html`${mailSection}${logInLink(texts, links)}`,
  }
}

const publishForm = (formKey: string, texts: Texts, { to }: Links) =>
  html`<form method="post" action="${to(`${DRAFT_PATH}/publish`)}">${hiddenField('form_key', formKey)}<p><button>${texts('draft.publish')}</button></p></form>`

const logInLink = (texts: Texts, { to }: Links) =>
  html`<p>${richText(texts, 'draft.hasAccount', { logIn: (text) => html`<a href="${to('/login', { return_to: PUBLISH_ON_LOGIN_PATH })}">${text}</a>` })}</p>`

/** A draft without a place or a type continues with the step that it lacks. After errors, the place may be the reason. */
function editLinks({ progress: { point, requestType }, type, texts }: DraftSummary, hasErrors: boolean, { to }: Links): SafeHtml {
  if (!point) return html`<a href="${to('/report')}">${texts('draftMail.choosePlace')}</a>`
  const form = html`<a href="${to('/report', { lat: point.lat, lng: point.lng, type: type ? requestType : undefined })}">${texts('draft.edit')}</a>`
  return hasErrors
    ? html`${form} · <a href="${to('/report', { view: `17/${point.lat}/${point.lng}` })}">${texts('draftMail.otherPlace')}</a>`
    : form
}

/** Twice the width of a mail. The picture is whole, because one decides by it whether to publish. */
const SIZE = { width: 1_120 }

/** The pictures of a mail about a draft. Its page shows them by the same signed addresses. */
const mailedDraftPictures: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, files, clock, urls } = services
  const sendMap = createMapPictures()
  const querystring = Type.Object({ signature: Type.String({ maxLength: 100 }) })
  const params = Type.Object({ id: Id })
  const numberedParams = Type.Object({ ...params.properties, number: Type.Integer({ minimum: 1, maximum: 100 }) })

  const requireSigned = async (id: number, picture: DraftPicture, signature: string) => {
    const draft = await findMailedDraft(db, id, clock())
    const signed = { id, email: draft?.email ?? null }
    if (!isDraftPictureSigned(await findUnsubscribeKey(db), signed, picture, signature)) throw problems.notFound('the_picture')
    return draft
  }

  /** After the publication, the mail shows the pictures of the issue, if it is public. */
  const requirePublished = async (id: number) => {
    const issueId = await findIssueOfDraft(db, id)
    return orNotFound(issueId === undefined ? undefined : await findIssue(db.reader, issueId, null), 'the_picture')
  }

  app.get('/report/drafts/:id/map', { schema: { params, querystring } }, async (request, reply) => {
    const { id } = request.params
    const draft = await requireSigned(id, 'map', request.query.signature)
    if (!draft) return seeOther(reply, urls, `/issues/${(await requirePublished(id)).id}/map.png`)
    const { point } = readProgress(draft.formValues)
    if (!point) throw problems.notFound('the_picture')
    return sendMap(request, reply, await drawNeighbourhood(services, point), { isPrivate: true })
  })

  app.get('/report/drafts/:id/:number', { schema: { params: numberedParams, querystring } }, async (request, reply) => {
    const { id, number } = request.params
    const draft = await requireSigned(id, number, request.query.signature)
    const image = draft?.images[number - 1]
    if (image) return sendDraftPicture(request, reply, files, { key: image.full_key, size: SIZE })
    const published = orNotFound(draft ? undefined : (await requirePublished(id)).images[number - 1], 'the_picture')
    return seeOther(reply, urls, `/files/${published.representative ?? published.full}`)
  })
}
