import type { Config } from '../../config.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { attributionText, LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Texts } from '../../locales/texts.ts'
import { type DataAddress, fileAddresses, serviceAddresses } from './addresses.ts'
import type { Dataset, Selection } from './selection.ts'

interface DataPage {
  readonly form: SafeHtml
  readonly dataset: Dataset
  readonly selection: Selection
  /** The number of issues; undefined for other tables. */
  readonly count: number | undefined
  /** A line of HTML; undefined if the operator allows no frames, or the map does not show this table. */
  readonly embed: string | undefined
  readonly exports: Config['exports']
  readonly texts: Texts
  readonly links: Links
  readonly urls: Urls
}

export function dataBody({ form, dataset, selection, count, embed, exports, texts, links, urls }: DataPage): SafeHtml {
  const link = (path: string) => (text: string) => html`<a href="${links.to(path)}">${text}</a>`
  const licence = html`<a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a>`
  const attribution = attributionText(urls)
  return html`<h1>${texts('data.title')}</h1>
    <p class="lead">${texts('data.lead')}</p>
    <div class="two-columns data-columns">
      <section aria-labelledby="data-choice"><h2 id="data-choice">${texts('data.choose')}</h2>${form}</section>
      <div>
        <section aria-labelledby="data-files">
          <h2 id="data-files">${texts('data.files')}</h2>
          <p>${texts(`data.datasets.${dataset}.description`)}${count === undefined ? '' : html` <b role="status">${texts('data.count', { count })}</b>`}</p>
          ${exports === 'open' ? '' : html`<p class="note">${richText(texts, exports === 'token' ? 'data.exportsToken' : 'data.exportsOff', { docs: link('/docs') })}</p>`}
          ${exports === 'off' ? '' : addressList(fileAddresses(dataset, selection, urls), texts)}
        </section>
        <section aria-labelledby="data-services">
          <h2 id="data-services">${texts('data.services.title')}</h2>
          <p>${richText(texts, 'data.services.description', { docs: link('/docs'), ogc: link('/ogc?f=html') })}</p>
          ${addressList(
            serviceAddresses(dataset, selection, urls).filter(({ id }) => exports !== 'off' || id !== 'open311'),
            texts,
          )}
        </section>
        ${
          embed === undefined
            ? ''
            : html`<section aria-labelledby="embed">
          <h2 id="embed">${texts('data.embed.title')}</h2>
          <p>${texts('data.embed.text')}</p>
          ${copied('embed', embed, html`${embed}`, texts, texts('data.embed.title'))}
        </section>`
        }
        <section aria-labelledby="data-licence">
          <h2 id="data-licence">${texts('data.licence')}</h2>
          <p>${richText(texts, 'data.licenceText', { licence })}</p>
          ${copied('attribution', attribution, html`${attribution}`, texts, texts('data.attribution'))}
        </section>
        <section aria-labelledby="data-meaning">
          <h2 id="data-meaning">${texts('data.meaning')}</h2>
          <p>${richText(texts, 'data.meaningText', { dictionary: link('/data/dictionary'), catalog: link('/data/catalog.jsonld') })}</p>
        </section>
      </div>
    </div>`
}

const addressList = (addresses: readonly DataAddress[], texts: Texts): SafeHtml => html`<ul class="addresses">
    ${addresses.map(
      ({ id, name, purpose, url }) =>
        html`<li><h3 lang="en">${name}</h3>
          <p class="quiet">${texts(purpose)}</p>
          ${url === undefined ? html`<p class="quiet">${texts('data.notExpressed')}</p>` : copied(id, url, html`<a href="${url}">${url}</a>`, texts, name)}</li>`,
    )}
  </ul>`

/** A text with a button that copies it. */
export const copied = (id: string, text: string, shown: SafeHtml, texts: Texts, name: string): SafeHtml =>
  html`<p class="copied"><code id="copy-${id}">${shown}</code> <button class="second" type="button" hidden data-copies="${text}" data-done="${texts('data.copied')}" aria-describedby="copy-${id}" aria-label="${texts('data.copyName', { name })}">${texts('data.copy')}</button></p>`
