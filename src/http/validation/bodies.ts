import type { FastifyInstance, FastifyRequest } from 'fastify'

import { text } from '../../locales/texts.ts'
import { decodeUtf8, readBodyText } from '../request/slow-body-timeout.ts'
import { syncPreParsingHook, syncHook } from '../request/hooks.ts'
import { nestFields } from './nested-fields.ts'
import { problems } from '../../errors/problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set it on a route that treats a missing body as an empty object. */
    bodyIsOptional?: true
  }
}

export function addBodyParsers(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) =>
    nestFields(new URLSearchParams(requireUtf8(await readBodyText(request)))),
  )
  acceptEmptyBodies(app)
}

/** Many clients send a content type without a body. The hook removes it, because Fastify would refuse an unknown type. */
function acceptEmptyBodies(app: FastifyInstance): void {
  app.addHook(
    'preParsing',
    syncPreParsingHook((request) => {
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
      if (acceptsEmptyBody(request) && length === '0' && encoding === undefined) delete request.headers['content-type']
    }),
  )
  // A chunked body is known to be empty only after it is read.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const bodyText = await readBodyText(request)
    if (bodyText === '' && acceptsEmptyBody(request)) return undefined
    const body = await parseJson(request, bodyText)
    if (body !== null) return body
    // Fastify passes null to validators for a missing body; false makes a JSON null invalid.
    return acceptsEmptyBody(request) ? undefined : false
  })
}

/** Drops `__proto__` and `constructor.prototype`. @throws an error of Fastify for invalid JSON */
export function parseJson(request: FastifyRequest, json: string): Promise<unknown> {
  const parse = request.server.getDefaultJsonParser('remove', 'remove')
  return new Promise((resolve, reject) => {
    void parse(request, json, (error, value) => (error ? reject(error) : resolve(value)))
  })
}

/** Returns the form. @throws Problem 400 if its percent-encoding is not that of UTF-8 */
function requireUtf8(form: string): string {
  const bytes = Buffer.from(form).toString('latin1')
  const decoded = bytes.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  decodeUtf8(Buffer.from(decoded, 'latin1'))
  return form
}

const acceptsEmptyBody = ({ is404, routeOptions }: FastifyRequest) =>
  !is404 && (routeOptions.schema?.body === undefined || routeOptions.config.bodyIsOptional === true)

/** Limit for the nesting of a body. GeoJSON areas need six levels. */
const DEPTH_MAX = 32

/** Refuses deeply nested bodies, which would overflow the stack of recursive functions. */
export function refuseDeepBodies(app: FastifyInstance): void {
  app.addHook(
    'preValidation',
    syncHook(({ body }) => {
      let level = nestedObjects([body])
      for (let depth = 0; level.length > 0; depth++) {
        if (depth > DEPTH_MAX) throw problems.unreadableBody(text('body_too_deep', { levels: DEPTH_MAX }))
        level = level.flatMap((value) => nestedObjects(Object.values(value)))
      }
    }),
  )
}

const nestedObjects = (values: readonly unknown[]) =>
  values.filter((value): value is object => typeof value === 'object' && value !== null)
