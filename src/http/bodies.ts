import type { FastifyInstance } from 'fastify'
import qs from 'qs'

import { problems } from './problems.ts'

const FIELDS_MAX = 1_000

/** Forms as text: nested fields such as `answers[summary]`, lists such as `answers[12][]`. JSON is read by Fastify itself. */
export function readForms(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_request: unknown, text: string) => {
    try {
      return qs.parse(text, { depth: 5, parameterLimit: FIELDS_MAX, arrayLimit: FIELDS_MAX, throwOnLimitExceeded: true })
    } catch (error) {
      throw problems.unreadableBody(`The form cannot be read: ${(error as Error).message}`)
    }
  })
}
