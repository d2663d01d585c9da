import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'

import { failsWith } from '../../src/http/schema/fields.ts'
import { useApp } from '../helpers/use-app.ts'
import { addTestRoutes } from '../http/test-routes.ts'

/** Each route but the first violates its schema. `asItIs` avoids the serializer, which drops undocumented fields. */
addTestRoutes(async (app) => {
  const response = { 200: Type.Object({ name: Type.String({ format: 'uri' }) }), ...failsWith() }
  const asItIs = (reply: FastifyReply, body: object) =>
    reply.type('application/json').serializer(JSON.stringify).send(body) as never
  app.get('/good', { schema: { response } }, async () => ({ name: 'http://fixpoint.test' }))
  app.get('/another-key', { schema: { response } }, async (_, reply) => asItIs(reply, { name: 'http://fixpoint.test', secret: 1 }))
  app.get('/missing-key', { schema: { response } }, async (_, reply) => asItIs(reply, {}))
  app.get('/wrong-format', { schema: { response } }, async () => ({ name: 'no address' }))
  app.get('/another-status', { schema: { response } }, async (_request, reply) =>
    reply.code(404 as 200).send({ name: 'http://fixpoint.test' }),
  )
  app.get('/another-type', { schema: { response } }, async (_request, reply) => reply.type('text/plain').send('hello' as never))
  app.get('/without-headers', { schema: { response } }, async (_request, reply) => {
    void reply.removeHeader('x-request-id').removeHeader('ratelimit')
    return { name: 'http://fixpoint.test' }
  })
})

describe('checkResponse', () => {
  const app = useApp({ keepRows: true, ownApp: true })

  it('accepts a documented response', async () => {
    await expect(app.as.anonymous.get('/good')).resolves.toMatchObject({ status: 200 })
  })

  it.each([
    ['a key that is not documented', '/another-key', 'must NOT have additional properties'],
    ['a key that is missing', '/missing-key', "must have required property 'name'"],
    ['a value of another format', '/wrong-format', 'must match format \\"uri\\"'],
    ['a status that is not documented', '/another-status', 'that status is not documented'],
    ['a type that is not documented', '/another-type', 'its content type text/plain is not documented'],
    ['a missing header', '/without-headers', 'it lacks the headers x-request-id, ratelimit'],
  ])('throws for %s', async (_, path, why) => {
    await expect(app.as.anonymous.get(path)).rejects.toThrow(why)
  })
})
