import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { type ContentChoice, eraseAccount, exportKey, findLinkOwner } from '../../accounts/erasure.ts'
import { hiddenField } from '../../html/fields.ts'
import { createForm, type FormValues, readText, toFormValues } from '../../html/form.ts'
import { narrowPage, preventUrlLeaks, sendPrivatePage, pageTitles } from '../../html/page.ts'
import { seeOther } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import { eraseChoice } from './account-page.ts'
import { mailPageTexts } from './mail-page-texts.ts'

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
