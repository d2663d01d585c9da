import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Texts } from '../../locales/texts.ts'
import { createLinks } from '../../html/links.ts'
import { sendPage, pageTitles } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/feature-collection.ts'
import type { Services } from '../../services.ts'

const licence = html`<a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a>`

/** The pages about the service, to which the footer of each page links. */
export const documentPages: FastifyPluginAsyncTypebox<Services> = async (app, { config, urls }) => {
  const { to } = createLinks(urls)
  const link = (path: string) => (text: string) => html`<a href="${to(path)}">${text}</a>`
  const values = {
    licence,
    ...Object.fromEntries(['data', 'docs', 'account', 'privacy', 'terms'].map((name) => [name, link(`/${name}`)])),
  }

  for (const name of ['about', 'privacy', 'terms'] as const) {
    app.get(`/${name}`, async (request, reply) => {
      const texts = pageTexts(request)
      return sendPage(request, reply, urls, {
        ...pageTitles(texts, `documents.${name}.title`, `documents.${name}.description`),
        canonical: `/${name}`,
        body: html`<article class="narrow document"><h1>${texts(`documents.${name}.title`)}</h1>
          <p class="quiet">${texts(`documents.${name}.description`)}</p>
          ${documentSections(texts, name, values)}
          ${contactSection(config.contact, texts)}</article>`,
      })
    })
  }
}

/** A document has sections with a heading, and with paragraphs or items of a list. */
function documentSections(texts: Texts, name: 'about' | 'privacy' | 'terms', values: Parameters<typeof richText>[2]): SafeHtml[] {
  const keys = Object.keys(texts.section(`documents.${name}.sections`))
  const numbers = [...new Set(keys.map((key) => parseInt(key, 10)))]
  return numbers.map((n) => {
    const start = `documents.${name}.sections.${n}` as const
    const parts = (list: 'paragraphs' | 'items') =>
      keys.flatMap((key) => {
        const [section, part, index] = key.split('.')
        return Number(section) === n && part === list ? [richText(texts, `${start}.${list}.${Number(index)}`, values)] : []
      })
    const items = parts('items')
    return section(
      texts(`${start}.heading`),
      html`${parts('paragraphs').map(paragraph)}${items.length > 0 ? html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>` : ''}`,
    )
  })
}

const paragraph = (text: SafeHtml | string) => html`<p>${text}</p>`

const section = (heading: string, content: SafeHtml): SafeHtml => html`<section>
    <h2>${heading}</h2>
    ${content}
  </section>`

function contactSection(contact: string | undefined, texts: Texts): SafeHtml {
  const [, name, address = contact ?? ''] = /^(.*?)\s*<(.*)>$/.exec(contact ?? '') ?? []
  const mail = html`<a href="mailto:${address}">${address}</a>`
  const operator = name ? html`${name} (${mail})` : mail
  return section(
    texts('documents.contact.heading'),
    paragraph(
      contact === undefined ? texts('documents.contact.none') : richText(texts, 'documents.contact.operator', { operator }),
    ),
  )
}
