import type { FastifyInstance, FastifyRequest } from 'fastify'

import { readText } from '../request/slow-body-timeout.ts'
import { beforeParsing, withoutWaiting } from '../request/hooks.ts'
import { nestFields } from './nested-fields.ts'
import { problems } from '../../errors/problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `config: { bodyIsOptional: true }` of a route that takes no body for an empty object. */
    bodyIsOptional?: true
  }
}

/** Forms become objects, JSON is parsed by Fastify itself, and plain text is no body that anything here takes. */
export function readForms(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) =>
    nestFields(new URLSearchParams(await readText(request))),
  )
  takeNothingForNoBody(app)
  app.addHook(
    'preValidation',
    withoutWaiting((request) => {
      if (request.routeOptions.config.bodyIsOptional) request.body ??= {}
    }),
  )
}

/**
 * Where an operation takes no body, nothing is no body, whatever type the client names: many name JSON in every request, and empty JSON
 * would be refused. Where there are fields, an empty body is a mistake and stays one, unless the body is optional.
 */
function takeNothingForNoBody(app: FastifyInstance): void {
  app.addHook(
    'preParsing',
    beforeParsing((request) => {
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
      if (takesNoBody(request) && length === '0' && encoding === undefined) delete request.headers['content-type']
    }),
  )
  // In chunks, it is known to be empty only when it has been read.
  // `__proto__` and `constructor.prototype` are unknown fields: they are ignored, and assigned nowhere.
  const readJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const text = await readText(request)
    if (text === '' && takesNoBody(request)) return undefined
    return new Promise((resolve, reject) => {
      void readJson(request, text, (error, body) => (error ? reject(error) : resolve(body)))
    })
  })
}

const takesNoBody = ({ is404, routeOptions }: FastifyRequest) =>
  !is404 && (routeOptions.schema?.body === undefined || routeOptions.config.bodyIsOptional === true)

/** The areas of GeoJSON go six levels down, nothing that is asked for goes further. */
const DEPTH_MAX = 32

/** Whoever walks through a body goes down level by level: thousands of them, which JSON allows, would be too many for the stack. */
export function refuseDeepBodies(app: FastifyInstance): void {
  app.addHook(
    'preValidation',
    withoutWaiting(({ body }) => {
      let level = inner([body])
      for (let depth = 0; level.length > 0; depth++) {
        if (depth > DEPTH_MAX) throw problems.unreadableBody(`The body is nested more than ${DEPTH_MAX} levels deep.`)
        level = level.flatMap((value) => inner(Object.values(value)))
      }
    }),
  )
}

const inner = (values: readonly unknown[]) => values.filter((value): value is object => typeof value === 'object' && value !== null)
