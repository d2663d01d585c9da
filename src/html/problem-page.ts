import type { FastifyRequest } from 'fastify'

import { writeValidationErrors, type Problem } from '../errors/problems.ts'
import { inLanguage } from '../errors/texts/in-language.ts'
import { html, type SafeHtml } from './template.ts'
import { readSecretCookie } from '../http/identity/secret-cookies.ts'
import type { Urls } from '../http/request/urls.ts'
import type { Language } from '../errors/texts/languages.ts'
import { type Links, createLinks } from './links.ts'
import { contentSecurityPolicy, renderPage } from './page.ts'
import { problemTexts, type ProblemTexts, problemTitle } from './problem-texts.ts'

export function problemPage({ status, body }: Problem, request: FastifyRequest, urls: Urls, language: Language) {
  const links = createLinks(urls)
  const texts = problemTexts[language]
  const title = problemTitle(texts, status)
  const text = renderPage(
    {
      title,
      description: title,
      language,
      body: html`<section class="hero">
        <h1>${title}</h1>
        ${body.kind === 'message' ? html`<p>${inLanguage(body.message, language)}</p>` : errorList(writeValidationErrors(body.fields, language))}
        <p>${nextStep(status, links, texts)}</p>
        <p class="quiet">${texts.statusLine(status, html`<code>${request.id}</code>`)}</p>
      </section>`,
    },
    urls,
    // A page of an unknown address does not look up the user of a session.
    request.viewer ?? (readSecretCookie(request, 'session', urls) === undefined ? null : undefined),
  )
  // The same address can be a page for another viewer, for example a report that is held.
  const headers = {
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'same-origin',
    'cache-control': 'private, no-store',
  }
  return { text, headers }
}

function errorList(errors: ReturnType<typeof writeValidationErrors>): SafeHtml {
  const items = Object.entries(errors).map(([field, text]) => html`<li><code>${field}</code> ${[text].flat().join(', ')}</li>`)
  return html`<ul>${items}</ul>`
}

function nextStep(status: number, { to }: Links, texts: ProblemTexts): SafeHtml | string {
  const link = (path: string) => (text: string) => html`<a href="${to(path)}">${text}</a>`
  if (status >= 500) return texts.retryLater(link('/health/ready'))
  if (status === 401) return html`<a class="button primary" href="${to('/login')}">${texts.logIn}</a>`
  if (status === 409) return texts.inProgress
  if (status === 413) return texts.sendLess
  if (status === 403 || status === 429) return link('/')(texts.homeLink)
  return texts.notFoundHelp({ first: link('/'), places: link('/places'), reference: link('/docs') })
}
