import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import PostalMime, { type Email } from 'postal-mime'
import Type from 'typebox'

import { type Language, text, type Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { problems, orNotFound } from '../../errors/problems.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { isCrossSite } from '../../http/request/browser-security.ts'
import { hasDevMails } from '../../environment/exposure.ts'
import type { MailFolder } from '../../mail/folder.ts'
import type { Services } from '../../services.ts'
import { type Links, toHttpUrl } from '../../html/links.ts'
import { type HtmlPage, contentSecurityPolicy, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'
import { formatLocalDateTime } from '../../html/format.ts'

const LISTED_MAX = 100
/** The page of a mail has the name of its file without the extension; with it, the path is the raw mail. */
const EXTENSION = '.eml'

const ListQuery = Type.Object({ to: Type.Optional(Type.String({ maxLength: 320 })) })
const NameParams = Type.Object({ name: Type.String() })

const FORWARDING_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** The mail is shown in a sandboxed frame without scripts. Its links open in the top window. */
const FRAME_POLICY =
  "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'self'; sandbox allow-top-navigation"

/** Links of stored mails can open an account, so the pages answer only requests from this machine without a proxy. */
export const devMailPages: FastifyPluginAsyncTypebox<Services> = async (app, { config, mailer, links, urls }) => {
  const { folder } = mailer
  if (!hasDevMails(config)) return

  app.addHook('onRequest', async (request) => {
    if (!isLocalRequest(request)) throw problems.notFound('this_address')
    if (isCrossSite(request, urls)) throw problems.notPermitted(text('other_site_opens_page'))
  })
  app.addHook('onSend', preventUrlLeaks)

  app.get('/dev/mails', { schema: { querystring: ListQuery } }, async (request, reply) => {
    const names = await folder.list(LISTED_MAX)
    const stems = names.map((file) => file.slice(0, -EXTENSION.length))
    const all = await Promise.all(stems.map(async (name) => ({ name, mail: await readMail(folder, name) })))
    const { to } = request.query
    const mails = to === undefined ? all : all.filter(({ mail }) => formatAddresses(mail.to).toLowerCase() === to.toLowerCase())
    return sendPrivatePage(request, reply, urls, listPage(mails, links, pageTexts(request)))
  })

  app.get('/dev/mails/:name', { schema: { params: NameParams } }, async (request, reply) => {
    const { name } = request.params
    if (name.endsWith(EXTENSION)) return reply.type('message/rfc822').send(await readBytes(folder, name))
    const page = mailPage(name, await readMail(folder, name), links, pageTexts(request))
    const sent = sendPrivatePage(request, reply, urls, page)
    void reply.header('content-security-policy', `${contentSecurityPolicy}; frame-src 'self'`)
    return sent
  })

  app.get('/dev/mails/:name/html', { schema: { params: NameParams } }, async (request, reply) => {
    const mail = await readMail(folder, request.params.name)
    if (mail.html === undefined) throw problems.notFound('the_html_of_the_mail')
    void reply.header('content-security-policy', FRAME_POLICY)
    return reply.type('text/html; charset=utf-8').send(mail.html.replace('<head>', '<head><base target="_top">'))
  })
}

function isLocalRequest({ headers }: FastifyRequest): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(headers.host ?? '')
  return isLocal && FORWARDING_HEADERS.every((name) => headers[name] === undefined)
}

/** @throws Problem 404 if the mail does not exist */
async function readBytes(folder: MailFolder, file: string): Promise<Buffer> {
  return orNotFound(await folder.read(file), 'the_mail')
}

const readMail = async (folder: MailFolder, name: string): Promise<Email> =>
  PostalMime.parse(await readBytes(folder, `${name}${EXTENSION}`))

const formatAddresses = (list: Email['to']) => (list ?? []).map(({ name, address }) => address ?? name).join(', ')
const formatSentAt = ({ date }: Email, language: Language) =>
  date === undefined || Number.isNaN(Date.parse(date)) ? '' : formatLocalDateTime(new Date(date).toISOString(), language, undefined)

interface StoredMail {
  readonly name: string
  readonly mail: Email
}

function listPage(mails: readonly StoredMail[], { to }: Links, texts: Texts): HtmlPage {
  const rows = mails.map(
    ({ name, mail }) =>
      html`<li>
        <a href="${to(`/dev/mails/${name}`)}">${mail.subject ?? texts('devMail.noSubject')}</a>
        <span class="quiet">${formatAddresses(mail.to)} · ${formatSentAt(mail, texts.language)}</span>
      </li>`,
  )
  return {
    ...pageTitles(texts, 'devMail.title', 'devMail.description'),
    body: html`<h1>${texts('devMail.title')}</h1>
      <p>${richText(texts, 'devMail.explanation', { variable: html`<code>SMTP_URL</code>` })}</p>
      ${rows.length === 0 ? html`<p class="quiet">${texts('devMail.empty')}</p>` : html`<ul class="rows">${rows}</ul>`}`,
  }
}

function mailPage(name: string, mail: Email, { to }: Links, texts: Texts): HtmlPage {
  const subject = mail.subject ?? texts('devMail.noSubject')
  return {
    title: subject,
    description: texts('devMail.mailDescription'),
    body: html`<p class="trail"><a href="${to('/dev/mails')}">${texts('devMail.title')}</a></p>
      <h1>${subject}</h1>
      <p class="quiet">${texts('devMail.to', { addresses: formatAddresses(mail.to) })} · ${texts('devMail.from', { address: mail.from?.address ?? '' })} · ${formatSentAt(mail, texts.language)} · <a href="${to(`/dev/mails/${name}${EXTENSION}`)}">${EXTENSION}</a></p>
      <h2>${texts('devMail.asText')}</h2>
      <pre class="mail" tabindex="0">${linkUrls(mail.text ?? '')}</pre>
      ${
        mail.html === undefined
          ? ''
          : html`<h2>${texts('devMail.asHtml')}</h2>
              <iframe class="mail" src="${to(`/dev/mails/${name}/html`)}" title="${texts('devMail.frame')}" sandbox="allow-top-navigation"></iframe>`
      }`,
  }
}

function linkUrls(text: string): (SafeHtml | string)[] {
  return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;])/).map((part, index) => {
    const url = index % 2 === 1 ? toHttpUrl(part) : null
    return url === null ? part : html`<a href="${url}">${part}</a>`
  })
}
