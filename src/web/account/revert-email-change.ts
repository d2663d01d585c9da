import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { findRevertState, revertEmailChange, type RevertState } from '../../accounts/emails/revert.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { html } from '../../html/template.ts'
import type { Services } from '../../services.ts'
import { hiddenField } from '../../html/fields.ts'
import { readText, toFormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'
import { mailPageLanguage } from './mail-page-language.ts'
import { revertTexts } from './revert-texts.ts'

/** The page behind the link of a mail about changed addresses. Opening it changes nothing; the button undoes the change. */
export const revertEmailChangePages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const links = createLinks(urls)
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
    const language = mailPageLanguage(request, found.state === 'invalid' ? null : found.locale)
    return sendPrivatePage(request, reply, urls, revertPage(found, token, links, language))
  }
}

function revertPage(found: RevertState, token: string, { to }: Links, language: Language): HtmlPage {
  const texts = revertTexts[language]
  const nextLinks = html`<p><a class="button primary" href="${to('/password/forgot')}">${texts.choosePassword}</a>
            <a class="button" href="${to('/account')}">${texts.account}</a></p>`
  switch (found.state) {
    case 'open':
      return {
        title: texts.title,
        description: texts.description,
        language,
        body: html`<div class="narrow">
          <h1>${texts.title}</h1>
          <p>${texts.happened[found.type](html`<b>${found.email}</b>`)} ${texts.consequence[found.type]}</p>
          <form method="post" action="${to('/emails/revert')}">
            ${hiddenField('token', token)}
            <p><button>${texts.confirm}</button></p>
          </form>
          <p class="quiet">${texts.nothingHappened}</p>
        </div>`,
      }
    case 'done':
      return {
        title: texts.doneTitle,
        description: texts.doneDescription,
        language,
        body: html`<div class="narrow">
          <h1>${texts.doneTitle}</h1>
          <p class="done">${texts.reverted[found.type](found.email === null ? html`${texts.theAddress}` : html`<b>${found.email}</b>`)} ${texts.sessionsEnded}</p>
          <p>${texts.nextStep}</p>
          ${nextLinks}
        </div>`,
      }
    case 'invalid':
      return {
        title: texts.invalidTitle,
        description: texts.invalidDescription,
        language,
        body: html`<div class="narrow">
          <h1>${texts.invalidTitle}</h1>
          <p>${texts.invalid}</p>
          ${nextLinks}
        </div>`,
      }
  }
}
