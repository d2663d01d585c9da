import type { Problem } from '../../errors/problems.ts'
import { assetVersion } from '../../html/assets.ts'
import { createLinks } from '../../html/links.ts'
import { problemDetails, problemTitle } from '../../html/problem-page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { issueCard } from '../cards/cards.ts'

interface EmbedPage {
  readonly title: string
  readonly map: SafeHtml
  readonly script: string
  /** Paths of the map page with the same choice, and of a report. */
  readonly all: string
  readonly report: string
  readonly entries: number
  readonly issues: readonly IssueRow[]
  readonly texts: Texts
  readonly urls: Urls
}

export function embedPage({ title, map, script, all, report, entries, issues, texts, urls }: EmbedPage): string {
  const { language } = texts
  return frameDocument(
    title,
    html`<header><h1><a href="${all}">${title}</a></h1> <a class="button primary" data-report href="${report}">${texts('map.reportHere')}</a></header>
<div class="frame">${map}</div>
<section data-issue-list aria-labelledby="newest">
<h2 id="newest">${texts('embed.newest')}</h2>
${issues.length > 0 ? html`<ul class="cards">${issues.map((issue) => issueCard(issue, urls, language))}</ul>` : html`<p class="empty">${texts('map.empty')}</p>`}
</section>
<p class="quiet"><a href="${all}">${texts('embed.all', { count: entries })}</a> · Fixpoint, <a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a></p>`,
    { language, urls, script },
  )
}

/** Returns a page that says in the frame what is wrong with its address. */
export function embedProblemPage({ status, body }: Problem, language: Language, urls: Urls): string {
  const texts = textsIn(language)
  const title = problemTitle(texts, status)
  const home = createLinks(urls).to('/')
  return frameDocument(
    title,
    html`<h1>${title}</h1>
${problemDetails(body, language)}
<p><a href="${home}">${texts('problem.homeLink')}</a></p>`,
    { language, urls },
  )
}

/** Returns a document without the header and the footer of other pages. */
function frameDocument(title: string, body: SafeHtml, { language, urls, script }: FrameDocument): string {
  const { to } = createLinks(urls)
  return String(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<base target="_blank">
<title>${title} · Fixpoint</title>
<link rel="icon" href="${to('/files/favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('/files/style.css', { v: assetVersion('style.css') })}">
${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
</head>
<body class="embed">
<main>
${body}
</main>
</body>
</html>
`)
}

interface FrameDocument {
  readonly language: Language
  readonly urls: Urls
  readonly script?: string
}
