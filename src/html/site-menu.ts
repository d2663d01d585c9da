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

interface MenuLink {
  readonly path: string
  readonly text: string | SafeHtml
}

/** The links in the header of each page. On a phone all but the first two are in the menu, so that the header has one row. */
export function siteMenu(menu: SiteMenu, { to }: Links): SafeHtml {
  const { viewer, language } = menu
  const texts = layoutTexts[language]
  const pages = pageLinks(menu)
  const visitors = visitorLinks(menu)
  const wide = ({ path, text }: MenuLink) => html`<a class="wide" href="${to(path)}">${text}</a>`
  const item = ({ path, text }: MenuLink) => html`<li><a href="${to(path)}">${text}</a></li>`
  const phoneItems = (links: readonly MenuLink[]) =>
    links.map(({ path, text }) => html`<li class="phone"><a href="${to(path)}">${text}</a></li>`)
  const summary = html`<span class="phone">${menuTexts[language].menu}</span>`
  return html`<nav aria-label="${texts.main}"><a href="${to('/report')}">${texts.report}</a><a href="${to('/')}">${menuTexts[language].map}</a>${[...pages, ...visitors].map(wide)}${
    viewer
      ? html`<details class="menu"><summary><span class="name" title="${texts.account}">${viewer.name}</span>${summary}</summary>
    <ul>${phoneItems(pages)}${accountLinks(viewer, language).map(item)}<li><form method="post" action="${to('/logout')}"><button class="plain">${texts.logOut}</button></form></li></ul></details>`
      : html`<details class="menu phone"><summary>${summary}</summary><ul>${[...pages, ...visitors].map(item)}</ul></details>`
  }</nav>`
}

function pageLinks({ viewer, pendingItems, language }: SiteMenu): readonly MenuLink[] {
  const texts = layoutTexts[language]
  const { questions, work } = menuTexts[language]
  return [
    { path: '/places', text: texts.places },
    { path: '/questions', text: questions },
    { path: '/docs', text: 'API' },
    ...(viewer && (viewer.organizationIds.length > 0 || viewer.isAdmin) ? [{ path: '/work', text: work }] : []),
    ...(viewer?.isModerator ? [{ path: '/moderation', text: moderationText(pendingItems, language) }] : []),
  ]
}

function moderationText(pendingItems: number | undefined, language: Language): string | SafeHtml {
  const name = layoutTexts[language].moderation
  if (!pendingItems) return name
  const count = Math.min(pendingItems, PENDING_ITEMS_MAX)
  const number = `${formatNumber(count, language)}${pendingItems > count ? '+' : ''}`
  const label = formatMessage(menuTexts[language].pendingItems, { count }, language)
  return html`${name} <span class="number" title="${label}">${number}</span>`
}

function visitorLinks({ viewer, language }: SiteMenu): readonly MenuLink[] {
  const texts = layoutTexts[language]
  if (viewer) return []
  if (viewer === undefined) return [{ path: '/account', text: texts.account }]
  return [
    { path: '/login', text: texts.logIn },
    { path: '/register', text: texts.register },
  ]
}

function accountLinks({ isAdmin }: Viewer, language: Language): readonly MenuLink[] {
  const { reports, following, watchAreas, settings, operations, queues } = menuTexts[language]
  return [
    { path: '/account/reports', text: reports },
    { path: '/account/following', text: following },
    { path: '/account/watch-areas', text: watchAreas },
    { path: '/account', text: settings },
    ...(isAdmin
      ? [
          { path: '/ops', text: operations },
          { path: '/ops/queues/', text: queues },
        ]
      : []),
  ]
}
