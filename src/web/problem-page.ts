import { html, type SafeHtml } from '@remix-run/html-template'

import type { Problem } from '../http/problems.ts'
import type { Urls } from '../http/urls.ts'
import { type Links, linksOf } from './links.ts'
import { pagePolicy, renderPage } from './page.ts'

/** A failure for somebody who reads it in a browser: what happened, and what to do next. */
export function problemPage({ status, body }: Problem, requestId: string, urls: Urls) {
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
        <p class="quiet">Status ${status}. If you ask us about it, tell us this number: <code>${requestId}</code></p>
      </section>`,
    },
    urls,
  )
  return { text, headers: { 'content-security-policy': pagePolicy } }
}

const titles: Readonly<Record<number, string>> = {
  404: 'There is nothing here',
  405: 'This page can only be read',
  422: 'That address is not quite right',
  503: 'Too busy just now',
}

function faults(fields: Readonly<Record<string, string | readonly string[]>>): SafeHtml {
  const list = Object.entries(fields).map(([field, text]) => html`<li><b>${field}</b> ${[text].flat().join(', ')}</li>`)
  return html`<ul>${list}</ul>`
}

function whatNext(status: number, { to }: Links): SafeHtml {
  if (status >= 500) return html`<p>Load the page again in a moment. <a href="${to('/health/ready')}">Is the service well?</a></p>`
  return html`<p>The address may be mistyped, or what was here is gone. Start again from <a href="${to('/')}">the first page</a>,
    find <a href="${to('/places')}">a place</a>, or read <a href="${to('/docs')}">the API reference</a>.</p>`
}
