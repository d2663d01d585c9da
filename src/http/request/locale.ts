import type { FastifyRequest } from 'fastify'

/** BCP 47, as far as languages, scripts and regions go. */
export const LOCALE = '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\\d{3}))?$'
const locale = new RegExp(LOCALE)

/** The language that the client likes best (RFC 9110, Accept-Language); undefined where it names none. */
export function languageOf(request: FastifyRequest): string | undefined {
  return request.languages().find((language) => locale.test(language))
}
