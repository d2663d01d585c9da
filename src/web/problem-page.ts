import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyRequest } from 'fastify'

import type { Problem } from '../http/problems.ts'
import type { Urls } from '../http/urls.ts'
import { type Links, linksOf } from './links.ts'
import { pagePolicy, renderPage } from './page.ts'

/** A failure for somebody who reads it in a browser: what happened, and what to do next. */
export function problemPage({ status, body }: Problem, request: FastifyRequest, urls: Urls) {
  const links = linksOf(urls)
  const title = titles[status] ?? (status >= 500 ? 'Something went wrong' : 'That did not work')
  const text = renderPage(
    {
      title,
      description: title,
      body: html`<section class="hero">
        <h1>${title}</h1>
        ${body.kind === 'message' ? html`<p>${body.message}</p>` : faults(body.fields)}
        ${whatNext(status, links)}
        <p class="quiet">Status ${status}. If you ask us about it, tell us this number: <code>${request.id}</code></p>
      </section>`,
    },
    urls,
    request.viewer ?? undefined,
  )
  // What is a failure for one is a page for another: their own held report, say.
  const headers = { 'content-security-policy': pagePolicy, 'referrer-policy': 'same-origin', 'cache-control': 'private, no-store' }
  return { text, headers }
}

const titles: Readonly<Record<number, string>> = {
  401: 'You need to log in for this',
  403: 'That is not allowed',
  404: 'There is nothing here',
  405: 'This page can only be read',
  409: 'It is on its way already',
  413: 'That is too large',
  422: 'That address is not quite right',
  429: 'Slow down, please',
  503: 'Too busy just now',
}

function faults(fields: Readonly<Record<string, string | readonly string[]>>): SafeHtml {
  const list = Object.entries(fields).map(([field, text]) => html`<li><b>${field}</b> ${[text].flat().join(', ')}</li>`)
  return html`<ul>${list}</ul>`
}

function whatNext(status: number, { to }: Links): SafeHtml {
  if (status >= 500) return html`<p>Load the page again in a moment. <a href="${to('/health/ready')}">Is the service well?</a></p>`
  if (status === 401) return html`<p><a class="button primary" href="${to('/login')}">Log in</a></p>`
  if (status === 409) return html`<p>Load this page again in a moment to see what became of it. It is not sent twice.</p>`
  if (status === 403 || status === 413 || status === 429) return html`<p><a href="${to('/')}">To the first page</a></p>`
  return html`<p>The address may be mistyped, or what was here is gone. Start again from <a href="${to('/')}">the first page</a>,
    find <a href="${to('/places')}">a place</a>, or read <a href="${to('/docs')}">the API reference</a>.</p>`
}
