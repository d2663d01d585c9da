import Type from 'typebox'
import { beforeEach } from 'vitest'

import { text } from '../../../src/locales/texts.ts'
import { sql } from '../../../src/database/database.ts'
import { problems } from '../../../src/errors/problems.ts'
import { requireLogin } from '../../../src/http/auth/authentication.ts'
import { idempotent } from '../../../src/http/idempotency/idempotency.ts'
import { UploadedFile } from '../../../src/http/request/upload.ts'
import { failsWith } from '../../../src/http/schema/fields.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { addTestRoutes } from '../test-routes.ts'

export const KEY = '0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40'
export const key = { 'idempotency-key': KEY }

/** Returns an app with test routes that create things, and the user Ada. */
export function useTestRoutes() {
  addTestRoutes(async (fastify) => {
    const Thing = Type.Object({ id: Type.Integer(), name: Type.String() })
    const body = Type.Object({
      name: Type.String({ minLength: 3, 'x-allowed': text('a_text_between', { min: 3, max: 40 }) }),
      image: Type.Optional(UploadedFile()),
      status: Type.Optional(Type.Integer()),
    })
    const schema = { operationId: 'makeThing', body, response: { 201: Thing, ...failsWith(400, 404, 413, 415, 422) } }
    const make = { schema, config: { files: ['image'] }, onRequest: requireLogin }
    fastify.post('/things', make, async (request, reply) => {
      const { name, status } = request.body
      await context.before()
      const { id } = await idempotent(request, app.db, async (tx) => ({ id: await insertThing(tx) }))
      if (status === 401) throw problems.wrongCredentials()
      if (status !== undefined) throw new Error('planted')
      return reply.code(201).header('location', `/things/${id}`).send({ id, name })
    })
    fastify.put('/things', { schema: { ...schema, operationId: 'putThing' } }, async (_request, reply) => {
      return reply.code(201).send({ id: await insertThing(app.db), name: 'put' })
    })
    const anybody = { schema: { ...schema, operationId: 'anybody', response: { 201: Type.Object({ text: Type.String() }) } } }
    fastify.post('/anybody', anybody, async (_request, reply) => reply.code(201).send({ text: 'x'.repeat(5_000) }))
    const nested = { schema: { ...schema, operationId: 'nested' }, config: { errorShape: 'nested' as const } }
    fastify.post('/nested', nested, async (_request, reply) =>
      reply.code(201).send({ id: await insertThing(app.db), name: 'nested' }),
    )
    const secret = { schema: { ...schema, operationId: 'secret' }, config: { idempotency: false as const } }
    fastify.post('/secrets', secret, async (_request, reply) =>
      reply.code(201).send({ id: await insertThing(app.db), name: 'secret' }),
    )
    fastify.post('/empty', { schema: { operationId: 'emptyPost', response: { 204: Type.Null() } } }, async (_request, reply) => {
      await insertThing(app.db)
      return reply.code(204).send(null)
    })
  })

  async function insertThing(db: Pick<typeof app.db, 'query'>): Promise<number> {
    const [row] = await queryRows<{ id: number }>(
      db,
      sql`
      INSERT INTO events (type, subject_type, subject_id) VALUES ('planted', 'thing', 1) RETURNING events.id`,
    )
    return row?.id ?? 0
  }

  const app = useApp({ ownApp: true })
  const context = {
    ada: {} as TestUser,
    before: async () => {},
  }
  beforeEach(async () => {
    context.before = async () => {}
    context.ada = await app.create.user()
  })

  const post = (body: unknown, headers: Record<string, string> = key, path = '/things') =>
    app.as.user(context.ada).send('POST', `/api/v2${path}`, { body, headers })
  const countThings = async () => (await queryRows(app.db, sql`SELECT e.id FROM events e WHERE e.type = 'planted'`)).length
  return { app, context, post, countThings }
}
