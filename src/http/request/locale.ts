import type { FastifyRequest } from 'fastify'

export const LOCALE = '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\\d{3}))?$'
const locale = new RegExp(LOCALE)

/** Returns the client's preferred language (RFC 9110, Accept-Language), or undefined if it names none. */
export function preferredLocale(request: FastifyRequest): string | undefined {
  return request.languages().find((language) => locale.test(language))
}
