import type { FastifyInstance } from 'fastify'

import { nestFields } from './nested-fields.ts'

/** Forms become objects, JSON is read by Fastify itself, and plain text is no body that anything here takes. */
export function readForms(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_request: unknown, text: string) =>
    nestFields(new URLSearchParams(text)),
  )
}
