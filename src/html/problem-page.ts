import type { FastifyRequest } from 'fastify'

import { writeValidationErrors, type Problem } from '../errors/problems.ts'
import { inLanguage } from '../errors/texts/in-language.ts'
import { html, type SafeHtml } from './template.ts'
import type { Urls } from '../http/request/urls.ts'
import type { Language } from '../errors/texts/languages.ts'
import { type Links, linksOf } from './links.ts'
import { pagePolicy, renderPage } from './page.ts'
import { problemWords, type ProblemWords, titleOf } from './problem-words.ts'

/** A failure for somebody who reads it in a browser: what happened, and what to do next, all of it in one language. */
export function problemPage({ status, body }: Problem, request: FastifyRequest, urls: Urls, language: Language) {
  const links = linksOf(urls)
  const words = problemWords[language]
  const title = titleOf(words, status)
  const text = renderPage(
    {
      title,
      description: title,
      language,
      body: html`<section class="hero">
        <h1>${title}</h1>
        ${body.kind === 'message' ? html`<p>${inLanguage(body.message, language)}</p>` : list(writeValidationErrors(body.fields, language))}
        <p>${whatNext(status, links, words)}</p>
        <p class="quiet">${words.status(status, html`<code>${request.id}</code>`)}</p>
      </section>`,
    },
    urls,
    request.viewer ?? undefined,
  )
  // What is a failure for one is a page for another: their own held report, say.
  const headers = { 'content-security-policy': pagePolicy, 'referrer-policy': 'same-origin', 'cache-control': 'private, no-store' }
  return { text, headers }
}

function list(faults: ReturnType<typeof writeValidationErrors>): SafeHtml {
  const items = Object.entries(faults).map(([field, text]) => html`<li><b>${field}</b> ${[text].flat().join(', ')}</li>`)
  return html`<ul>${items}</ul>`
}

function whatNext(status: number, { to }: Links, words: ProblemWords): SafeHtml | string {
  const link = (path: string) => (text: string) => html`<a href="${to(path)}">${text}</a>`
  if (status >= 500) return words.again(link('/health/ready'))
  if (status === 401) return html`<a class="button primary" href="${to('/login')}">${words.logIn}</a>`
  if (status === 409) return words.onItsWay
  if (status === 403 || status === 413 || status === 429) return link('/')(words.toFirstPage)
  return words.lost({ first: link('/'), places: link('/places'), reference: link('/docs') })
}
