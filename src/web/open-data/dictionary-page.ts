import { html, type SafeHtml } from '../../html/template.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type Texts, textsIn } from '../../locales/texts.ts'
import { type Field, listFields } from './dictionary.ts'
import { type Dataset, datasets } from './selection.ts'

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
