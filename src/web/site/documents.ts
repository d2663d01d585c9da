import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Language } from '../../errors/texts/languages.ts'
import { createLinks } from '../../html/links.ts'
import { sendPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { LICENCE_NAME, LICENCE_URL } from '../../http/formats/licence.ts'
import type { Services } from '../../services.ts'
import { aboutTexts } from './about-texts.ts'
import { contactTexts, type DocumentSection } from './document-texts.ts'
import { privacyTexts } from './privacy-texts.ts'
import { termsTexts } from './terms-texts.ts'

const documents = { '/about': aboutTexts, '/privacy': privacyTexts, '/terms': termsTexts } as const
const licence = html`<a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a>`

/** The pages about the service, to which the footer of each page links. */
export const documentPages: FastifyPluginAsyncTypebox<Services> = async (app, { config, urls }) => {
  const { to } = createLinks(urls)
  const link = (path: string, text: string) => html`<a href="${to(path)}">${text}</a>`

  for (const [path, texts] of Object.entries(documents)) {
    app.get(path, async (request, reply) => {
      const language = pageLanguage(request)
      const { title, description, sections } = texts[language]
      return sendPage(request, reply, urls, {
        title,
        description,
        language,
        canonical: path,
        body: html`<article class="narrow document"><h1>${title}</h1>
          <p class="quiet">${description}</p>
          ${sections(link, licence).map(documentSection)}
          ${contactSection(config.contact, language)}</article>`,
      })
    })
  }
}

const documentSection = ({ heading, paragraphs = [], items = [] }: DocumentSection): SafeHtml => html`<section>
    <h2>${heading}</h2>
    ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
    ${items.length > 0 ? html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>` : ''}
  </section>`

function contactSection(contact: string | undefined, language: Language): SafeHtml {
  const texts = contactTexts[language]
  const [, name, address = contact ?? ''] = /^(.*?)\s*<(.*)>$/.exec(contact ?? '') ?? []
  const mail = html`<a href="mailto:${address}">${address}</a>`
  const operator = name ? html`${name} (${mail})` : mail
  return documentSection({ heading: texts.heading, paragraphs: [contact === undefined ? texts.none : texts.operator(operator)] })
}
