import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Language, textsIn } from '../../../locales/texts.ts'
import { hiddenField } from '../../../html/fields.ts'
import { readText, toFormValues } from '../../../html/form-input.ts'
import { createLinks, type Links } from '../../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../../html/page.ts'
import { seeOther } from '../../../html/redirects.ts'
import { html } from '../../../html/template.ts'
import { preventUrlLeaksExceptOrigin } from '../../../html/token-page.ts'
import { pageLanguage } from '../../../http/errors/text-language.ts'
import { hashToken } from '../../../http/identity/credentials.ts'
import { findDraft } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'
import { DRAFT_PATH, rememberDraft } from './draft-cookie.ts'
import { endedLinkPage } from './draft-mail-form.ts'

const OPEN_PATH = `${DRAFT_PATH}/open`

/**
 * The page behind the link of a mail to a draft. GET changes nothing, neither here nor in the browser: a link of another site must not
 * replace the draft of a visitor, whose next login would claim it. The button does, and its form passes the CSRF check.
 */
export const openDraftPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  const links = createLinks(urls)
  app.addHook('onSend', preventUrlLeaksExceptOrigin)

  app.get(OPEN_PATH, async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    if (!(await isOpen(token))) return sendEnded(request, reply)
    return sendPrivatePage(request, reply, urls, openDraftPage(token, links, pageLanguage(request)))
  })

  /** The token of the link becomes the secret of the browser. */
  app.post(OPEN_PATH, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    if (!(await isOpen(token))) return sendEnded(request, reply)
    rememberDraft(reply, urls, token)
    return seeOther(reply, urls, DRAFT_PATH)
  })

  const isOpen = async (token: string) =>
    (await findDraft(db, { secretHash: hashToken(token), userId: undefined }, clock())) !== undefined

  const sendEnded = (request: FastifyRequest, reply: FastifyReply) =>
    sendPrivatePage(request, reply.code(422), urls, endedLinkPage(links, pageLanguage(request)))
}

function openDraftPage(token: string, { to }: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  return {
    title: texts('openDraft.title'),
    description: texts('openDraft.description'),
    language,
    body: html`<div class="narrow">
      <h1>${texts('openDraft.title')}</h1>
      <p>${texts('openDraft.hint')}</p>
      <p class="note">${texts('openDraft.replaces')}</p>
      <form method="post" action="${to(OPEN_PATH)}">
        ${hiddenField('token', token)}
        <p><button>${texts('openDraft.open')}</button></p>
      </form>
    </div>`,
  }
}
