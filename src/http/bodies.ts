import type { FastifyInstance } from 'fastify'

import { nestFields } from './nested-fields.ts'
import { problems } from './problems.ts'

/** Forms become objects, JSON is read by Fastify itself, and plain text is no body that anything here takes. */
export function readForms(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_request: unknown, text: string) =>
    nestFields(new URLSearchParams(text)),
  )
}

/** The areas of GeoJSON go six levels down, nothing that is asked for goes further. */
const DEPTH_MAX = 32

/** Whoever walks through a body goes down level by level: thousands of them, which JSON allows, would be too many for the stack. */
export function refuseDeepBodies(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ body }) => {
    let level = inner([body])
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > DEPTH_MAX) throw problems.unreadableBody(`The body is nested more than ${DEPTH_MAX} levels deep.`)
      level = level.flatMap((value) => inner(Object.values(value)))
    }
  })
}

const inner = (values: readonly unknown[]) => values.filter((value): value is object => typeof value === 'object' && value !== null)
