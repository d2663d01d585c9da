import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { hiddenField } from '../../html/fields.ts'
import { createForm } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage, PageMap } from '../../html/page.ts'
import { areaFields, type AreaForm, drawPage } from './area-form.ts'
import { settingsFields, type SettingsValues } from './settings-fields.ts'

export interface WatchPage {
  readonly form: AreaForm
  readonly forecast: string | undefined
  readonly feeds: { readonly title: string; readonly atom: string; readonly geojson: string } | undefined
  readonly values: SettingsValues
  /** Path to return to after the login; undefined if the viewer is logged in. */
  readonly return_to: string | undefined
  readonly map: PageMap
}

/** One form with two buttons: the first shows the forecast and changes nothing, the second saves. */
export function watchPage(links: Links, page: WatchPage, texts: Texts): HtmlPage {
  const { form: areaForm, feeds, map, values, forecast } = page
  const { what, errors } = areaForm
  const form = createForm(texts.language, { errors })
  const fields = html`${areaFields(areaForm, form, links, texts)}
    ${settingsFields({ form, values, forecast, texts })}`
  const title = what === undefined ? texts('watch.title') : texts('watch.watch', { area: what })
  const panel = html`<h1>${title}</h1>
    ${form.errorSummary()}
    ${watchForm(fields, page, links, texts)}
    ${feeds ? html`<p class="quiet">${richText(texts, 'watch.feeds', { feed: link(feeds.atom), geojson: link(feeds.geojson) })}</p>` : ''}
    ${what === undefined ? html`<p class="quiet">${texts('watch.chooseIssue')}</p>` : ''}`
  return {
    title,
    description: texts('watch.description'),
    ...(feeds ? { feed: { title: feeds.title, href: feeds.atom } } : {}),
    map,
    body: drawPage(areaForm, panel, links, texts),
  }
}

function watchForm(fields: SafeHtml, { return_to }: WatchPage, links: Links, texts: Texts): SafeHtml {
  return html`<form action="${links.to('/watch')}" method="post" data-area-form>
    ${fields}
    <p><button class="second" formaction="${links.to('/watch/forecast')}" formnovalidate data-show-forecast>${texts('watch.showForecast')}</button></p>
    ${
      return_to === undefined
        ? html`${hiddenField('form_key', newSecret())}<p class="point-continue"><button>${texts('watch.watchThis')}</button></p>`
        : html`<p>${richText(texts, 'watch.logIn', { logIn: (text) => html`<a class="button primary" data-return href="${links.to('/login', { return_to })}">${text}</a>`, register: (text) => html`<a data-return href="${links.to('/register', { return_to })}">${text}</a>` })}</p>`
    }
  </form>`
}

const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`
