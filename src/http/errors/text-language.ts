import type { FastifyRequest } from 'fastify'

import { type Language, languages, type Texts, textsIn } from '../../locales/texts.ts'
import { chosenLanguage } from '../request/locale.ts'

/** Returns the best match of `Accept-Language`. The user's locale does not count: it is unknown when credentials are refused. */
export function negotiateLanguage(request: FastifyRequest): Language {
  const best = request.language([...languages])
  return languages.find((language) => language === best) ?? 'en'
}

/** Returns the language of a page: the chosen one, else the best match of `Accept-Language`. */
export function pageLanguage(request: FastifyRequest): Language {
  return chosenLanguage(request) ?? negotiateLanguage(request)
}

/** Returns the texts of a page in its language. */
export const pageTexts = (request: FastifyRequest): Texts => textsIn(pageLanguage(request))
