import { type Language, type Texts, textsIn } from '../locales/texts.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { isModerator } from '../http/identity/capabilities.ts'
import { formatNumber } from './format.ts'
import type { Links } from './links.ts'
import { html, type SafeHtml } from './template.ts'

/** A moderator sees the number up to this one. */
export const HELD_ITEMS_MAX = 99

interface SiteMenu {
  /** The caller; undefined if not identified, as on pages of unknown addresses. */
  readonly viewer: Viewer | null | undefined
  /** The number of items that wait for a moderator; more than `HELD_ITEMS_MAX` stands for any higher number. */
  readonly heldItems: number | undefined
  /** The view `zoom/lat/lng` with which a report starts. */
  readonly reportView: string | undefined
  /** True if a report starts on the map of the page where there are no scripts. */
  readonly reportsOnMap: boolean
  readonly language: Language
}

interface MenuLink {
  readonly path: string
  readonly text: string | SafeHtml
}

/** The links in the header of each page. On a phone all but the first two are in the menu, so that the header has one row. */
export function siteMenu(menu: SiteMenu, { to }: Links): SafeHtml {
  const { viewer, language } = menu
  const texts = textsIn(language)
  const pages = pageLinks(menu)
  const visitors = visitorLinks(menu)
  const wide = ({ path, text }: MenuLink) => html`<a class="wide" href="${to(path)}">${text}</a>`
  const item = ({ path, text }: MenuLink) => html`<li><a href="${to(path)}">${text}</a></li>`
  const phoneItems = (links: readonly MenuLink[]) =>
    links.map(({ path, text }) => html`<li class="phone"><a href="${to(path)}">${text}</a></li>`)
  const summary = html`<span class="phone">${texts('menu.menu')}</span>`
  return html`<nav aria-label="${texts('layout.main')}">${reportLink({ href: to('/report', { view: menu.reportView }), text: texts('layout.report'), onMap: menu.reportsOnMap })}<a href="${to('/')}">${texts('menu.map')}</a>${[...pages, ...visitors].map(wide)}${
    viewer
      ? html`<details class="menu"><summary><span class="name" title="${texts('layout.account')}">${viewer.name}</span>${summary}</summary>
    <ul class="list">${phoneItems(pages)}${accountLinks(viewer, texts).map(item)}<li><form method="post" action="${to('/logout')}"><button class="plain">${texts('layout.logOut')}</button></form></li></ul></details>`
      : html`<details class="menu phone"><summary>${summary}</summary><ul class="list">${[...pages, ...visitors].map(item)}</ul></details>`
  }</nav>`
}

/** Returns the link to a report. Without scripts it may lead to the map of the page, on which a click starts the report. */
export const reportLink = ({ href, text, onMap, ...more }: ReportLink): SafeHtml => {
  const attributes = more.isButton ? html` class="button primary"` : ''
  return html`${onMap ? html`<noscript><a${attributes} data-report href="#map">${text}</a></noscript>` : ''}<a${attributes} data-report href="${href}">${text}</a>`
}

interface ReportLink {
  readonly href: string
  readonly text: string
  readonly onMap: boolean
  readonly isButton?: boolean
}

function pageLinks({ viewer, heldItems, language }: SiteMenu): readonly MenuLink[] {
  const texts = textsIn(language)
  return [
    { path: '/places', text: texts('layout.places') },
    { path: '/questions', text: texts('menu.questions') },
    ...(viewer && (viewer.organizationIds.length > 0 || viewer.isAdmin) ? [{ path: '/work', text: texts('menu.work') }] : []),
    ...(viewer && isModerator(viewer) ? [{ path: '/moderation', text: moderationText(heldItems, texts) }] : []),
  ]
}

function moderationText(heldItems: number | undefined, texts: Texts): string | SafeHtml {
  const name = texts('layout.moderation')
  if (!heldItems) return name
  const count = Math.min(heldItems, HELD_ITEMS_MAX)
  const number = `${formatNumber(count, texts.language)}${heldItems > count ? '+' : ''}`
  const label = texts('menu.heldItems', { count })
  return html`${name} <span class="number" title="${label}">${number}</span>`
}

function visitorLinks({ viewer, language }: SiteMenu): readonly MenuLink[] {
  const texts = textsIn(language)
  if (viewer) return []
  if (viewer === undefined) return [{ path: '/account', text: texts('layout.account') }]
  return [
    { path: '/login', text: texts('layout.logIn') },
    { path: '/register', text: texts('layout.register') },
  ]
}

function accountLinks({ isAdmin }: Viewer, texts: Texts): readonly MenuLink[] {
  return [
    { path: '/account/reports', text: texts('menu.reports') },
    { path: '/account/following', text: texts('menu.following') },
    { path: '/account/watch-areas', text: texts('menu.watchAreas') },
    { path: '/account', text: texts('menu.settings') },
    ...(isAdmin
      ? [
          { path: '/ops', text: texts('menu.operations') },
          { path: '/ops/queues/', text: texts('menu.queues') },
        ]
      : []),
  ]
}
