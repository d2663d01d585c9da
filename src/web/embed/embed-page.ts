import { assetVersion } from '../../html/assets.ts'
import { createLinks } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueRow } from '../../issues/queries.ts'
import type { Texts } from '../../locales/texts.ts'
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

/** Returns a document without the header and the footer of other pages. */
export function embedPage({ title, map, script, all, report, entries, issues, texts, urls }: EmbedPage): string {
  const { to } = createLinks(urls)
  const { language } = texts
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
<script type="module" src="${script}"></script>
</head>
<body class="embed">
<main>
<header><h1><a href="${all}">${title}</a></h1> <a class="button primary" href="${report}">${texts('map.reportHere')}</a></header>
<div class="frame">${map}</div>
<section data-issue-list aria-labelledby="newest">
<h2 id="newest">${texts('embed.newest')}</h2>
${issues.length > 0 ? html`<ul class="cards">${issues.map((issue) => issueCard(issue, urls, language))}</ul>` : html`<p class="empty">${texts('map.empty')}</p>`}
</section>
<p class="quiet"><a href="${all}">${texts('embed.all', { count: entries })}</a> · Fixpoint, <a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a></p>
</main>
</body>
</html>
`)
}
