import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { findRevertState, revertEmailChange, type RevertState } from '../../accounts/emails/revert.ts'
import { html } from '../../html/template.ts'
import type { Services } from '../../services.ts'
import { hiddenField } from '../../html/fields.ts'
import { readText, toFormValues } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { type HtmlPage, narrowPage, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'
import { mailPageTexts } from './mail-page-texts.ts'

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
