import { expect } from 'vitest'

import { addModerationItem } from '../../../../src/content-policy/moderation-item-queries.ts'
import type { ApiResponse } from '../../../helpers/client.ts'
import { api, type Row, UNKNOWN_ID } from '../row.ts'
import { nextNumber, type Persona, type PersonaRows } from '../persona-rows.ts'

const moderators = new Set<Persona>(['moderator', 'admin'])
/** Only moderators and admins have access, here to a community issue in the area of the moderator; others get the same status whether the item exists or not. */
const onlyModerators = (status: number) => ({ anonymous: 401, moderator: status, admin: status })

async function createItem(
  { app, people }: PersonaRows,
  reasons: ('words' | 'flagged')[] = ['words'],
  of: 'owner' | 'moderator' | 'admin' = 'owner',
): Promise<number> {
  const summary = `Hole ${nextNumber()}`
  const subject_id = await app.create.issue({
    ...{ reporter: people[of], anonymous: true, summary },
    moderation_state: reasons.includes('flagged') ? 'passed' : 'held',
  })
  const item = { subject_type: 'issue', subject_id, reasons, original: { summary }, created_at: new Date() } as const
  return (await app.db.transaction((tx) => addModerationItem(tx, item))) ?? 0
}

const decided = async (world: PersonaRows) => {
  const item = await createItem(world)
  await world.app.as.user(world.people.admin).send('POST', api(`/moderation/${item}/reject`), { body: {} })
  return item
}

/** Only the admin may also act for the organisation. */
const hidesReporter = ({ body }: ApiResponse, persona: Persona, { people }: PersonaRows) => {
  if (!moderators.has(persona)) return
  const { subject } = body as { subject: { reporter: { id: number } } }
  expect(subject.reporter.id).toBe(persona === 'admin' ? people.owner.id : 0)
}
const isIn = (state: string) => (answer: ApiResponse, persona: Persona, world: PersonaRows) => {
  if (!moderators.has(persona)) return
  expect(answer.body).toMatchObject({ state, decided_by: { id: world.people[persona as 'admin'].id }, approve_url: null })
  hidesReporter(answer, persona, world)
}

export const moderationRows: readonly Row[] = [
  {
    operation: 'listModerationItems',
    what: 'pending items',
    request: async (world) => {
      await createItem(world)
      return ['GET', api('/moderation')]
    },
    expected: 403,
    exceptFor: onlyModerators(200),
    check: ({ body }, persona, world) => {
      if (!moderators.has(persona)) return
      const [first] = (body as { items: object[] }).items
      hidesReporter({ body: first } as ApiResponse, persona, world)
    },
  },
  {
    operation: 'listModerationItems',
    what: 'items of an invalid state',
    request: () => ['GET', api('/moderation?state=open')],
    expected: 403,
    exceptFor: onlyModerators(422),
  },
  {
    operation: 'getModerationItem',
    what: 'a pending report of the owner',
    request: async (world) => ['GET', api(`/moderation/${await createItem(world)}`)],
    expected: 403,
    exceptFor: { ...onlyModerators(200), owner: 200 },
    check: (answer, persona, world) => {
      hidesReporter(answer, persona, world)
      if (persona === 'owner') expect(answer.body).toMatchObject({ reasons: null, approve_url: null, reject_url: null })
      if (moderators.has(persona))
        expect(answer.body).toMatchObject({ reasons: ['words'], approve_url: expect.any(String) as string })
    },
  },
  {
    operation: 'getModerationItem',
    what: 'a flagged report of the owner, which the owner does not see',
    request: async (world) => ['GET', api(`/moderation/${await createItem(world, ['flagged'])}`)],
    expected: 403,
    exceptFor: onlyModerators(200),
  },
  {
    operation: 'getModerationItem',
    what: 'an unknown item',
    request: () => ['GET', api(`/moderation/${UNKNOWN_ID}`)],
    expected: 403,
    exceptFor: onlyModerators(404),
  },
  {
    operation: 'approveModerationItem',
    what: 'a report, with another summary',
    request: async (world) => ['POST', api(`/moderation/${await createItem(world)}/approve`), { summary: `Bench ${nextNumber()}` }],
    expected: 403,
    exceptFor: onlyModerators(200),
    check: isIn('approved'),
  },
  {
    operation: 'approveModerationItem',
    what: 'a report of the moderator',
    request: async (world) => ['POST', api(`/moderation/${await createItem(world, ['words'], 'moderator')}/approve`)],
    expected: 403,
    exceptFor: { anonymous: 401, admin: 200 },
  },
  {
    operation: 'approveModerationItem',
    what: 'an item that was rejected before',
    request: async (world) => ['POST', api(`/moderation/${await decided(world)}/approve`)],
    expected: 403,
    exceptFor: onlyModerators(422),
  },
  {
    operation: 'approveModerationItem',
    what: 'an unknown item',
    request: () => ['POST', api(`/moderation/${UNKNOWN_ID}/approve`)],
    expected: 403,
    exceptFor: onlyModerators(404),
  },
  {
    operation: 'rejectModerationItem',
    what: 'a report, with a reason',
    request: async (world) => ['POST', api(`/moderation/${await createItem(world)}/reject`), { reason: `It is ${nextNumber()}.` }],
    expected: 403,
    exceptFor: onlyModerators(200),
    check: isIn('rejected'),
  },
  {
    operation: 'rejectModerationItem',
    what: 'a flagged report of the Admin',
    request: async (world) => ['POST', api(`/moderation/${await createItem(world, ['flagged'], 'admin')}/reject`)],
    expected: 403,
    exceptFor: { anonymous: 401, moderator: 200 },
  },
  {
    operation: 'rejectModerationItem',
    what: 'an item that was rejected before',
    request: async (world) => ['POST', api(`/moderation/${await decided(world)}/reject`)],
    expected: 403,
    exceptFor: onlyModerators(422),
  },
  {
    operation: 'rejectModerationItem',
    what: 'a report, with a reason that is too long',
    request: async (world) => ['POST', api(`/moderation/${await createItem(world)}/reject`), { reason: 'x'.repeat(1_001) }],
    expected: 403,
    exceptFor: onlyModerators(422),
  },
  {
    operation: 'rejectModerationItem',
    what: 'an unknown item',
    request: () => ['POST', api(`/moderation/${UNKNOWN_ID}/reject`)],
    expected: 403,
    exceptFor: onlyModerators(404),
  },
]
