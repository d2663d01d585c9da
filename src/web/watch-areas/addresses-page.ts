import { type Language, textsIn } from '../../locales/texts.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import { accountSection } from '../account/account-sections.ts'
import { watchAreaTitle } from '../map/area-title.ts'

/** The addresses with the token as texts to copy. They are no links, so that no history and no referrer has them. */
export function addressesPage(row: OwnRow, urls: Urls, links: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  const query = `watcher_token=${row.watcher_token}`
  const addresses = [
    ['atom', texts('addresses.atom'), urls.at(`/feeds/issues.atom?${query}`)],
    ['geojson', texts('addresses.geojson'), urls.at(`/feeds/issues.geojson?${query}`)],
    ['json', texts('addresses.json'), urls.at(`${apiPrefix}/issues?${query}`)],
  ] as const
  const title = texts('addresses.title', { area: watchAreaTitle(row, language) })
  const content = html`<h2>${title}</h2>
    <p>${texts('addresses.warning')}</p>
    ${addresses.map(
      ([name, label, address]) =>
        html`<div class="field"><label for="address-${name}">${label}</label><input id="address-${name}" readonly value="${address}"></div>`,
    )}
    <form method="post" action="${links.to(`/account/watch-areas/${row.id}/token`)}">
      <p><button class="second">${texts('addresses.renew')}</button> <span class="quiet">${texts('addresses.renewHint')}</span></p>
    </form>
    <p><a href="${links.to('/account/watch-areas')}">${texts('addresses.back')}</a></p>`
  return {
    title,
    description: texts('addresses.description'),
    language,
    body: accountSection('watch-areas', content, links, language),
  }
}
