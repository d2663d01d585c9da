import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'

import { text } from '../../locales/texts.ts'
import {
  requestConfirmation,
  addUnconfirmedEmail,
  findEmail,
  listEmails,
  listRefusedEmails,
  removeEmail,
} from '../../accounts/emails/queries.ts'
import { EmailParams } from '../../accounts/emails/schema.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { Id } from '../../http/schema/fields.ts'
import { EmailAddressWithDomain, toMailbox } from '../../http/schema/mailbox.ts'
import { type ValidationErrors, problems } from '../../errors/problems.ts'
import { listMainPlaces } from '../../places/queries.ts'
import { Upload } from '../../http/request/upload.ts'
import type { WebServices } from '../map/page-maps.ts'
import { listTokens, removeToken } from '../../accounts/tokens/queries.ts'
import { TokenParams } from '../../accounts/tokens/schema.ts'
import { StrongPassword } from '../../accounts/passwords/schema.ts'
import { ProfileChange } from '../../accounts/schema.ts'
import { eraseAccount, requestLink } from '../../accounts/erasure.ts'
import { requirePassword } from '../../accounts/current-password.ts'
import { changeProfile } from '../../accounts/registration.ts'
import { setDailyMail } from '../../notifications/unsubscribe-queries.ts'
import { listDailyMails } from '../../staff/mails/settings.ts'
import { findSettings } from '../../users/settings-queries.ts'
import { accountPage, isSuccessKey, type SuccessKey, readChoice } from './account-page.ts'
import { accountSectionPath, type SettingsSection, settingsSections } from './account-sections.ts'
import { validationErrorsFrom, formErrors, readText, translateErrors, toFormValues, omitBlankFields } from '../../html/form.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { createLinks, requirePageLogin, seeOther } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'

const { name, locale, place_url_name, share_location, current_password, uploaded_data, issue_mails } = ProfileChange.properties
const ProfileForm = Type.Object({ name, place_url_name, share_location })
const LanguageForm = Type.Object({ locale })
const PasswordForm = Type.Object({ password: Type.Optional(StrongPassword), current_password })
const PLACES_MAX = 100

export const accountPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls } = services

  app.addHook('onRequest', requirePageLogin(urls, '/account'))

  const validatorCompiler = withInputTransform(app, 'body', omitBlankFields)
  const form = <Body extends TSchema>(body: Body) => ({ attachValidation: true, validatorCompiler, schema: { body } }) as const

  for (const section of settingsSections)
    app.get(accountSectionPath(section), async (request, reply) => sendAccountPage(request, reply, section, {}))

  app.post('/account', form(ProfileForm), async (request, reply) =>
    runAndRedirect(request, reply, 'profile', 'saved', async () => {
      if (request.body.name === undefined) throw problems.invalidErrors({ name: text('is_required') })
      const share_location = readText(toFormValues(request.body), 'share_location') === 'true'
      // Only these fields are accepted here, because a password change needs the current password.
      const settings = Object.entries(request.body).filter(([field]) => Object.hasOwn(ProfileForm.properties, field))
      await changeProfile(services, requestUser(request), { ...Object.fromEntries(settings), share_location })
    }),
  )

  app.post('/account/language', form(LanguageForm), async (request, reply) =>
    runAndRedirect(request, reply, 'language', 'saved', async () => {
      const { locale } = request.body
      if (locale === undefined) throw problems.invalidErrors({ locale: text('is_required') })
      await changeProfile(services, requestUser(request), { locale })
    }),
  )

  const mails = { attachValidation: true, schema: { body: Type.Object({ issue_mails }) } } as const
  app.post('/account/mails', mails, async (request, reply) =>
    runAndRedirect(request, reply, 'mails', 'saved', async () => {
      const { issue_mails } = request.body
      if (issue_mails !== undefined) await changeProfile(services, requestUser(request), { issue_mails })
    }),
  )

  app.post('/account/mails/organizations/:id', { schema: { params: Type.Object({ id: Id }) } }, async (request, reply) =>
    runAndRedirect(request, reply, 'mails', 'saved', async () => {
      const membership = { user_id: requireViewer(request).id, organization_id: request.params.id }
      const isWanted = readText(toFormValues(request.body), 'daily_mail') === 'true'
      await db.transaction((tx) => setDailyMail(tx, membership, isWanted))
    }),
  )

  const newImage = {
    attachValidation: true,
    config: { files: ['uploaded_data'], reportsLargeFiles: true },
    schema: { body: Type.Object({ uploaded_data }) },
  } as const
  app.post('/account/picture', newImage, async (request, reply) =>
    runAndRedirect(request, reply, 'profile', 'saved', async () => {
      // Browsers send an empty file field as an empty value, which must not delete the image.
      const image = request.body.uploaded_data
      if (!(image instanceof Upload)) throw problems.invalidErrors({ uploaded_data: text('picture_missing') })
      await changeProfile(services, requestUser(request), { uploaded_data: image })
    }),
  )

  app.post('/account/picture/delete', async (request, reply) =>
    runAndRedirect(request, reply, 'profile', 'removed', () =>
      changeProfile(services, requestUser(request), { uploaded_data: '' }),
    ),
  )

  app.post('/account/password', form(PasswordForm), async (request, reply) =>
    runAndRedirect(request, reply, 'password', 'password', async () => {
      const { id } = requireViewer(request)
      const { password, current_password } = request.body
      if (password === undefined) throw problems.invalidErrors({ password: text('is_required') })
      const verified = await requirePassword(id, current_password, reply)
      const change = { password, password_confirmation: password }
      await changeProfile(services, { ...requestUser(request), verified }, change)
    }),
  )

  const newEmail = { attachValidation: true, schema: { body: Type.Object({ email: EmailAddressWithDomain }) } } as const
  app.post('/account/emails', newEmail, async (request, reply) =>
    runAndRedirect(request, reply, 'emails', 'mailed', async () => {
      const added = await db.transaction((tx) => addUnconfirmedEmail(tx, requireViewer(request).id, toMailbox(request.body.email)))
      if ('refused' in added) throw problems.invalid({ email: added.refused })
    }),
  )

  app.post('/account/emails/:id/confirmation', { schema: { params: EmailParams } }, async (request, reply) =>
    runAndRedirect(request, reply, 'emails', 'mailed', async () => {
      const { id: userId } = requireViewer(request)
      const email = await findEmail(db, userId, request.params.id)
      if (!email || (email.confirmed && !(await listRefusedEmails(db, userId)).includes(email.id))) return
      const isWithinLimit = await db.transaction((tx) =>
        requestConfirmation(tx, 'email.confirmation_requested', { ...email, userId }),
      )
      if (!isWithinLimit) throw problems.invalid({ base: text('too_many_mails_sent') })
    }),
  )

  app.post('/account/emails/:id/delete', { schema: { params: EmailParams } }, async (request, reply) =>
    runAndRedirect(request, reply, 'emails', 'removed', async () => {
      const removal = await removeEmail(db, requireViewer(request).id, request.params.id)
      if (removal && 'refused' in removal) throw problems.invalid({ base: removal.refused })
    }),
  )

  app.post('/account/tokens/:id/delete', { schema: { params: TokenParams } }, async (request, reply) =>
    runAndRedirect(request, reply, 'tokens', 'removed', async () => {
      await removeToken(db, requireViewer(request).id, request.params.id)
    }),
  )

  app.post('/account/data/export', async (request, reply) =>
    runAndRedirect(request, reply, 'data', 'export', () => requestLink(db, requireViewer(request).id, 'user.export_requested')),
  )

  // Without a password, the addresses get a link.
  app.post('/account/data/erase', async (request, reply) => {
    const { id: userId } = requireViewer(request)
    const values = toFormValues(request.body)
    const password = readText(values, 'current_password')
    const erase = async () => {
      await requirePassword(userId, password, reply)
      await eraseAccount(services, { userId, content: readChoice(values) })
    }
    return password === ''
      ? runAndRedirect(request, reply, 'data', 'erasure', () => requestLink(db, userId, 'user.erasure_requested'))
      : runAndRedirect(request, reply, 'data', 'erasure', erase, '/erasure/done')
  })

  const requestUser = (request: FastifyRequest) => ({ userId: requireViewer(request).id, tokenHash: request.tokenHash })

  async function runAndRedirect(
    request: FastifyRequest,
    reply: FastifyReply,
    section: SettingsSection,
    done: SuccessKey,
    work: () => Promise<void>,
    path = `${accountSectionPath(section)}?done=${done}`,
  ) {
    let errors: ValidationErrors = formErrors(request)
    try {
      if (Object.keys(errors).length === 0) await work()
    } catch (error) {
      errors = validationErrorsFrom(error)
    }
    if (Object.keys(errors).length === 0) return seeOther(reply, urls, path)
    return sendAccountPage(request, reply.code(422), section, errors)
  }

  async function sendAccountPage(request: FastifyRequest, reply: FastifyReply, section: SettingsSection, errors: ValidationErrors) {
    const { id } = requireViewer(request)
    const [settings, dailyMails, emails, refusedEmails, tokens, places] = await Promise.all([
      findSettings(db, id),
      listDailyMails(db, id),
      listEmails(db, id),
      listRefusedEmails(db, id),
      listTokens(db, id),
      listMainPlaces(db.reader, PLACES_MAX),
    ])
    if (!settings) throw problems.notFound('the_account')
    const values = Object.keys(errors).length > 0 ? omitBlankFields(request.body) : {}
    const { done } = toFormValues(request.query)
    const page = {
      section,
      settings,
      dailyMails,
      emails,
      refusedEmails,
      tokens,
      places,
      values,
      errors: translateErrors(request, errors),
      done: isSuccessKey(done) ? done : undefined,
    }
    const checks = section === 'profile' ? { formModule: services.maps.path('issue-page/comment-draft.ts') } : {}
    return sendPrivatePage(request, reply, urls, { ...accountPage(createLinks(urls), page, pageTexts(request)), ...checks })
  }
}
