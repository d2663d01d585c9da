import { formatMessage } from '../errors/texts/in-language.ts'
import type { Language } from '../errors/texts/languages.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { formatNumber } from './format.ts'
import { layoutTexts } from './layout-texts.ts'
import type { Links } from './links.ts'
import { menuTexts } from './menu-texts.ts'
import { html, type SafeHtml } from './template.ts'

/** A moderator sees the number up to this one. */
export const PENDING_ITEMS_MAX = 99

export interface SiteMenu {
  /** The caller; undefined if not identified, as on pages of unknown addresses. */
  readonly viewer: Viewer | null | undefined
  /** The number of items that wait for a moderator; more than `PENDING_ITEMS_MAX` stands for any higher number. */
  readonly pendingItems: number | undefined
  readonly language: Language
}

/** The links in the header of each page. */
export function siteMenu({ viewer, pendingItems, language }: SiteMenu, links: Links): SafeHtml {
  const { to } = links
  const texts = layoutTexts[language]
  return html`<nav aria-label="${texts.main}"><a href="${to('/report')}">${texts.report}</a><a href="${to('/')}">${menuTexts[language].map}</a><a class="wide" href="${to('/places')}">${texts.places}</a><a href="${to('/questions')}">${menuTexts[language].questions}</a><a class="wide" href="${to('/docs')}">API</a>${
    viewer && viewer.organizationIds.length > 0 ? html`<a href="${to('/work')}">${menuTexts[language].work}</a>` : ''
  }${viewer?.isModerator ? moderationLink(pendingItems, links, language) : ''}${accountLinks(viewer, links, language)}</nav>`
}

function moderationLink(pendingItems: number | undefined, { to }: Links, language: Language): SafeHtml {
  const name = layoutTexts[language].moderation
  if (!pendingItems) return html`<a href="${to('/moderation')}">${name}</a>`
  const count = Math.min(pendingItems, PENDING_ITEMS_MAX)
  const number = `${formatNumber(count, language)}${pendingItems > count ? '+' : ''}`
  const label = formatMessage(menuTexts[language].pendingItems, { count }, language)
  return html`<a href="${to('/moderation')}">${name} <span class="number" title="${label}">${number}</span></a>`
}

function accountLinks(viewer: Viewer | null | undefined, { to }: Links, language: Language): SafeHtml {
  const texts = layoutTexts[language]
  if (viewer === undefined) return html`<a href="${to('/account')}">${texts.account}</a>`
  if (viewer === null)
    return html`<a href="${to('/login')}">${texts.logIn}</a><a class="wide" href="${to('/register')}">${texts.register}</a>`
  const { reports, following, watchAreas, settings, operations, queues } = menuTexts[language]
  const link = (path: string, name: string) => html`<li><a href="${to(path)}">${name}</a></li>`
  return html`<details class="menu"><summary><span class="name" title="${texts.account}">${viewer.name}</span></summary>
    <ul>${link('/account/reports', reports)}${link('/account/following', following)}${link('/account/watch-areas', watchAreas)}${link('/account', settings)}${
      viewer.isAdmin ? html`${link('/ops', operations)}${link('/ops/queues/', queues)}` : ''
    }<li><form method="post" action="${to('/logout')}"><button class="plain">${texts.logOut}</button></form></li></ul></details>`
}
