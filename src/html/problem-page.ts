import type { FastifyRequest } from 'fastify'

import { inLanguage, inPlainWords, type Language, type Texts, textsIn } from '../locales/texts.ts'
import { richText } from './rich-text.ts'
import { writeValidationErrors, type Problem } from '../errors/problems.ts'
import { html, type SafeHtml } from './template.ts'
import { readSecretCookie } from '../http/identity/secret-cookies.ts'
import type { Urls } from '../http/request/urls.ts'
import { type Links, createLinks } from './links.ts'
import { contentSecurityPolicy, renderPage, returnPath } from './page.ts'

export function problemPage({ status, body }: Problem, request: FastifyRequest, urls: Urls, language: Language) {
  const links = createLinks(urls)
  const texts = textsIn(language)
  const title = problemTitle(texts, status)
  const text = renderPage(
    {
      title,
      description: title,
      language,
      body: html`<section class="hero">
        <h1>${title}</h1>
        ${technicalPages.test(request.url) ? problemDetails(body, language) : plainDetails(body, request, texts, links)}
        <p>${nextStep(status, links, texts)}</p>
        <p class="quiet">${richText(texts, 'problem.statusLine', { status, requestId: html`<code>${request.id}</code>` })}</p>
      </section>`,
    },
    urls,
    // A page of an unknown address does not look up the user of a session.
    request.viewer ?? (readSecretCookie(request, 'session', urls) === undefined ? null : undefined),
    returnPath(request),
  )
  // The same address can be a page for another viewer, for example a report that is held.
  const headers = {
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'same-origin',
    'cache-control': 'private, no-store',
  }
  return { text, headers }
}

/** Their readers are staff or write programs, and need the names of parameters. */
const technicalPages = /^\/(?:data|docs|embed|exports|feeds|ogc|open311|ops|tiles|work|bulk|views)\b/

const statusesWithTitle = [401, 403, 404, 405, 409, 413, 422, 429, 503] as const

export function problemTitle(texts: Texts, status: number): string {
  const known = statusesWithTitle.find((one) => one === status)
  if (known) return texts(`problem.titles.${known}`)
  return status >= 500 ? texts('problem.serverError') : texts('problem.clientError')
}

/** Returns the message of a problem, or its fields with what is allowed. */
export function problemDetails(body: Problem['body'], language: Language): SafeHtml {
  if (body.kind === 'message') return html`<p>${inLanguage(body.message, language)}</p>`
  const errors = Object.entries(writeValidationErrors(body.fields, language))
  return html`<ul>${errors.map(([field, text]) => html`<li><code>${field}</code> ${[text].flat().join(', ')}</li>`)}</ul>`
}

/** Names the parts of a form or an address as its page does, and leads to the page without them. */
function plainDetails(body: Problem['body'], { method, url }: FastifyRequest, texts: Texts, { to }: Links): SafeHtml {
  if (body.kind === 'message') return html`<p>${inPlainWords(body.message, texts.language)}</p>`
  const names = texts.section('problem.fields')
  const reasons = Object.entries(writeValidationErrors(body.fields, texts.language, inPlainWords)).map(([field, reason]) =>
    names[field] === undefined ? texts('problem.otherField') : `${names[field]}: ${[reason].flat().join(', ')}`,
  )
  const [path = '', query] = url.split('?')
  return html`<ul>${[...new Set(reasons)].map((reason) => html`<li>${reason}</li>`)}</ul>
    ${method === 'GET' && query !== undefined ? html`<p><a href="${to(path)}">${texts('problem.withoutQuery')}</a></p>` : ''}`
}

function nextStep(status: number, { to }: Links, texts: Texts): SafeHtml | string {
  const link = (path: string) => (text: string) => html`<a href="${to(path)}">${text}</a>`
  if (status >= 500) return richText(texts, 'problem.retryLater', { isWell: link('/health/ready') })
  if (status === 401) return html`<a class="button primary" href="${to('/login')}">${texts('problem.logIn')}</a>`
  if (status === 409) return texts('problem.inProgress')
  if (status === 413) return texts('problem.sendLess')
  if (status === 403 || status === 429) return link('/')(texts('problem.homeLink'))
  return richText(texts, 'problem.notFoundHelp', { first: link('/'), places: link('/places') })
}
