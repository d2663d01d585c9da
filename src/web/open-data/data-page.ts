import type { TObject } from 'typebox'

import type { Config } from '../../config.ts'
import { toColumns } from '../../gis/columns.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { attributionText, LICENCE_NAME, LICENCE_URL } from '../../http/formats/feature-collection.ts'
import type { Urls } from '../../http/request/urls.ts'
import { HistoryProperties } from '../../issues/records/history-schema.ts'
import { IssueProperties } from '../../issues/records/schema.ts'
import { type Texts, textsIn } from '../../locales/texts.ts'
import { PlaceProperties } from '../../places/records/schema.ts'
import { type DataAddress, fileAddresses, serviceAddresses } from './addresses.ts'
import { type Dataset, type Selection, datasets } from './selection.ts'

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
const copied = (id: string, text: string, shown: SafeHtml, texts: Texts, name: string): SafeHtml =>
  html`<p class="copied"><code id="copy-${id}">${shown}</code> <button class="second" type="button" hidden data-copies="${text}" data-done="${texts('data.copied')}" aria-describedby="copy-${id}" aria-label="${texts('data.copyName', { name })}">${texts('data.copy')}</button></p>`

/** The names of the tables and their fields. The meanings are in English, as in the API reference. */
export function dictionaryBody(texts: Texts, links: Links): SafeHtml {
  const link = (path: string) => (text: string) => html`<a href="${links.to(path)}">${text}</a>`
  return html`<p class="trail"><a href="${links.to('/data')}">${texts('data.title')}</a></p>
    <h1>${texts('data.dictionary.title')}</h1>
    <p>${richText(texts, 'data.dictionary.lead', { json: link('/data/dictionary.json') })}</p>
    ${datasets.map((dataset) => table(dataset, texts))}`
}

function table(dataset: Dataset, texts: Texts): SafeHtml {
  const heading = (key: 'name' | 'type' | 'meaning' | 'example' | 'formats') =>
    html`<th scope="col">${texts(`data.dictionary.${key}`)}</th>`
  return html`<section>
    <h2 id="${dataset}">${texts(`data.datasets.${dataset}.choice`)}</h2>
    <p>${texts(`data.datasets.${dataset}.description`)} ${texts(dataset === 'places' ? 'data.dictionary.boundary' : 'data.dictionary.point')}</p>
    <div class="data dictionary" role="region" tabindex="0" aria-labelledby="${dataset}"><table>
      <thead><tr>${heading('name')}${heading('type')}${heading('meaning')}${heading('example')}${dataset === 'places' ? '' : heading('formats')}</tr></thead>
      <tbody>${listFields(dataset).map((field) => row(field, dataset, texts))}</tbody>
    </table></div>
  </section>`
}

function row({ name, type, isNullable, meaning, unit, values, example, isInGpx }: Field, dataset: Dataset, texts: Texts): SafeHtml {
  const typeName = texts(`data.dictionary.types.${type}`)
  return html`<tr><th scope="row"><code>${name}</code></th>
    <td>${typeName}${unit === undefined ? '' : html`, ${unit}`}${isNullable ? html`<br><span class="quiet">${texts('data.dictionary.nullable')}</span>` : ''}</td>
    <td><span lang="en">${meaning}</span>${values === undefined ? '' : html`<br><code>${values.join(', ')}</code>`}</td>
    <td><code>${example}</code></td>
    ${dataset === 'places' ? '' : html`<td>${texts(isInGpx ? 'data.dictionary.allFormats' : 'data.dictionary.notGpx')}</td>`}</tr>`
}

const jsonTypes = { integer: 'integer', number: 'number', text: 'string', timestamp: 'datetime' } as const

/** Returns the dictionary as a Data Package with a Table Schema (specs.frictionlessdata.io) for each table. */
export function dataPackage(urls: Urls): object {
  const texts = textsIn('en')
  return {
    profile: 'tabular-data-package',
    name: 'fixpoint',
    title: texts('data.title'),
    homepage: urls.at('/data'),
    licenses: [{ title: LICENCE_NAME, path: LICENCE_URL }],
    resources: datasets.map((dataset) => ({
      profile: 'tabular-data-resource',
      name: dataset,
      title: texts(`data.datasets.${dataset}.choice`),
      description: texts(`data.datasets.${dataset}.description`),
      path: urls.at(`/exports/${dataset}.csv`),
      format: 'csv',
      mediatype: 'text/csv',
      schema: {
        fields: listFields(dataset).map(({ name, type, isNullable, meaning, unit, values, example }) => ({
          name,
          type: jsonTypes[type],
          description: meaning,
          ...(unit === undefined ? {} : { unit }),
          example,
          constraints: { required: !isNullable, ...(values ? { enum: values } : {}) },
        })),
        primaryKey: 'id',
      },
    })),
  }
}

interface Field {
  readonly name: string
  readonly type: 'integer' | 'number' | 'text' | 'timestamp'
  readonly isNullable: boolean
  /** In English, from the schema. */
  readonly meaning: string
  /** The unit of a number, such as `m²`. */
  readonly unit: string | undefined
  /** The only values of the field. */
  readonly values: readonly string[] | undefined
  readonly example: string
  /** GPX has few elements. All other formats have all fields. */
  readonly isInGpx: boolean
}

interface PropertySchema {
  readonly examples?: readonly (string | number | null)[]
  readonly enum?: readonly (string | null)[]
}

const properties: Readonly<Record<Dataset, TObject>> = {
  issues: IssueProperties,
  history: HistoryProperties,
  places: PlaceProperties,
}

const inGpx: Readonly<Record<Dataset, readonly string[]>> = {
  issues: ['created_at', 'summary', 'description', 'html_url', 'status'],
  history: ['at', 'to_status'],
  places: [],
}

/** Returns the columns that each format of a table has, generated from the schema of its rows. */
export function listFields(dataset: Dataset): readonly Field[] {
  const schemas = properties[dataset].properties as unknown as Readonly<Record<string, PropertySchema>>
  return toColumns(properties[dataset]).map(({ name, type, isNullable, description = '' }) => {
    const { examples = [], enum: values } = schemas[name] ?? {}
    return {
      ...{ name, type, isNullable, meaning: description, unit: unitOf(name, type) },
      values: values?.filter((value) => value !== null),
      example: String(examples.find((one) => one !== null) ?? values?.[0] ?? ''),
      isInGpx: inGpx[dataset].includes(name),
    }
  })
}

function unitOf(name: string, type: Field['type']): string | undefined {
  if (type === 'timestamp') return 'UTC'
  if (name.endsWith('_m2')) return 'm²'
  return /_(?:lng|lat)$/.test(name) ? '° (WGS 84)' : undefined
}
