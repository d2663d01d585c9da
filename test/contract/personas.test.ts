import { beforeEach, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../../src/http/credentials.ts'
import { useApp } from '../helpers/use-app.ts'
import { givenPicture } from '../files/kept.ts'
import type { Reference } from './every-answer.ts'
import { PASSWORD, type Persona, personas, rows, type World } from './persona-rows.ts'

/*
 * Who gets what: every operation with an account in it, asked by everybody in turn. What an answer holds is the matter of the
 * operation's own tests; a row that a new operation lacks is missed by the last test.
 */

const it = useApp()

let world: World

beforeEach(async () => {
  const { given, db } = it
  const [roads, parks] = [await given.organization({ name: 'Roads' }), await given.organization({ name: 'Parks' })]
  const password_hash = await hashPassword(PASSWORD)
  const people = {
    owner: await given.user({ name: 'Owner', password_hash }),
    other: await given.user({ name: 'Other' }),
    employee: await given.user({ name: 'Employee', memberOf: [{ organization: roads }] }),
    elsewhere: await given.user({ name: 'Elsewhere', memberOf: [{ organization: parks }] }),
    moderator: await given.user({ name: 'Moderator', memberOf: [{ organization: parks, role: 'moderator' }] }),
    admin: await given.user({ name: 'Admin', role: 'Admin' }),
  }
  const questions = [
    { built_in: 'summary', question: 'What?', question_type: 'text', response_required: true },
    { question: 'Your telephone?', question_type: 'text', answer_kept_private: true },
  ]
  const type = await given.requestType({ organization: roads, questions })
  const second = await db.prisma.email.create({ data: { user_id: people.owner.id, email: 'second@example.org' } })
  const token = await db.prisma.token.create({ data: { user_id: people.owner.id, token_hash: 'x' } })
  const heldIssue = await given.issue({ reporter: people.owner, request_type: type, moderation_state: 'held' })
  const issue = await given.issue({ reporter: people.owner, request_type: type })
  const on = { db, services: it.services }
  world = {
    ...{ people, type, heldIssue, secondEmail: second.id, token: token.id },
    heldPicture: (await givenPicture(on, { issue_id: heldIssue })).key,
    privatePicture: (await givenPicture(on, { issue_id: issue, is_answer: true, answer_kept_private: true })).key,
  }
})

describe('everybody in turn, the owner last', () => {
  test.each(rows)('$operation: $what', async ({ request, all, but = {} }) => {
    const statuses: Partial<Record<Persona, number>> = {}
    for (const persona of personas) {
      const client = persona === 'nobody' ? it.as.nobody : it.as.user(world.people[persona])
      const [method, url, body] = request(world)
      statuses[persona] = (await client.send(method, url, body === undefined ? {} : { body })).status
    }

    expect(statuses).toEqual({ ...Object.fromEntries(personas.map((persona) => [persona, all])), ...but })
    const roles = await it.db.query(sql`SELECT u.id FROM users u WHERE u.role = 'Admin' OR u.civic_points > 100`)
    expect(roles).toEqual([{ id: world.people.admin.id }])
  })

  test('misses no operation that changes something, or that shows what is somebody’s own', () => {
    const { paths } = it.app.swagger() as unknown as Reference
    const asked = new Set(rows.map(({ operation }) => operation))
    const writing = Object.values(paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
    )

    expect(writing.filter((operation) => !asked.has(operation))).toEqual([])
  })
})
