import { sql } from '../../../src/database/database.ts'
import { hashToken, newToken } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { createLinkToken } from '../../../src/mail/link-tokens.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import type { TestApp } from '../../helpers/use-app.ts'

export const PASSWORD = 'battery staple'
/** All tests share this hash, because hashing takes as long as creating all rows. */
const password_hash = await hashPassword(PASSWORD)

/** `owner`: the resident who owns the requested rows. `elsewhere`: an employee of another organisation; the moderator belongs to it, too. */
export const personas = ['anonymous', 'other', 'employee', 'elsewhere', 'moderator', 'admin', 'owner'] as const
export type Persona = (typeof personas)[number]

export const mapPersonas = <Outcome>(outcomeOf: (persona: Persona) => Outcome) =>
  Object.fromEntries(personas.map((persona) => [persona, outcomeOf(persona)])) as Record<Persona, Outcome>
export type LoggedInPersona = Exclude<Persona, 'anonymous'>

export const PRIVATE_ANSWER = 'ring 555 0142 in the evening'

export interface PersonaRows {
  readonly people: Readonly<Record<LoggedInPersona, TestUser>>
  /** The request type belongs to the organisation of `employee` and has a private question. */
  readonly type: number
  readonly firstEmail: number
  readonly secondEmail: number
  readonly token: number
  readonly pendingIssue: number
  /** The issue is public and has a private answer. Its reporter, the owner, is anonymous. */
  readonly anonymousIssue: number
  readonly app: TestApp
}

export async function createPersonaRows(app: TestApp): Promise<PersonaRows> {
  const { create, db } = app
  const [roads, parks] = [await create.organization({ name: 'Roads' }), await create.organization({ name: 'Parks' })]
  const people = {
    owner: await create.user({ name: 'Owner', password_hash, share_location: true }),
    other: await create.user({ name: 'Other', password_hash }),
    employee: await create.user({ name: 'Employee', password_hash, memberOf: [{ organization: roads }] }),
    elsewhere: await create.user({ name: 'Elsewhere', password_hash, memberOf: [{ organization: parks }] }),
    moderator: await create.user({ name: 'Moderator', password_hash, memberOf: [{ organization: parks, role: 'moderator' }] }),
    admin: await create.user({ name: 'Admin', password_hash, role: 'Admin' }),
  }
  const questions = [
    { built_in: 'summary', question: 'What?', question_type: 'text', response_required: true },
    { question: 'Your telephone?', question_type: 'text', answer_kept_private: true },
  ]
  const type = await create.requestType({ organization: roads, questions })
  const first = await db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: people.owner.id } })
  const second = await db.prisma.emailAddress.create({ data: { user_id: people.owner.id, email: 'second@example.org' } })
  const token = await db.prisma.token.create({ data: { user_id: people.owner.id, token_hash: 'x', name: 'Of the owner' } })
  const pendingIssue = await create.issue({ reporter: people.owner, moderation_state: 'held' })
  const issue = await create.issue({ reporter: people.owner, request_type: type, anonymous: true })
  await create.formAnswer({ on: issue, question: 'Your telephone?', answer: PRIVATE_ANSWER, answer_kept_private: true })
  return {
    ...{ app, people, type, pendingIssue, anonymousIssue: issue },
    ...{ firstEmail: first.id, secondEmail: second.id, token: token.id },
  }
}

export async function createMailLink(
  { app }: PersonaRows,
  purpose: 'confirm_email' | 'reset_password',
  of: { readonly user: TestUser; readonly email: number },
): Promise<string> {
  const { token, hash } = createLinkToken()
  const data = {
    user_id: of.user.id,
    email_address_id: of.email,
    purpose,
    token_hash: hash,
    expires_at: new Date(Date.now() + 3_600_000),
  }
  await app.db.prisma.oneTimeToken.create({ data })
  return token
}

export async function createConfirmLink(world: PersonaRows): Promise<string> {
  const user = world.people.owner
  const { id } = await world.app.db.prisma.emailAddress.create({
    data: { user_id: user.id, email: `link${nextNumber()}@example.org` },
  })
  return createMailLink(world, 'confirm_email', { user, email: id })
}

/** Creates a link that resets the owner's password. A reset before has revoked the token, so it is created again. */
export async function createResetLink(world: PersonaRows): Promise<string> {
  const user = world.people.owner
  const [token_hash, data] = [hashToken(user.token), { user_id: user.id, token_hash: hashToken(user.token) }]
  await world.app.db.prisma.token.upsert({ where: { token_hash }, create: data, update: {} })
  return createMailLink(world, 'reset_password', { user, email: world.firstEmail })
}

export async function createToken({ app }: PersonaRows, user_id: number): Promise<void> {
  await app.db.prisma.token.create({ data: { user_id, token_hash: hashToken(newToken()) } })
}

/** Creates as many tokens as the owner may have. */
export async function fillTokens({ app, people }: PersonaRows): Promise<void> {
  await app.db.execute(sql`
    INSERT INTO tokens (user_id, token_hash) SELECT ${people.owner.id}, 'full ' || n FROM generate_series(1, 100) n
    ON CONFLICT DO NOTHING RETURNING tokens.id`)
}

export async function fillEmails({ app }: PersonaRows, user_id: number): Promise<void> {
  const email = sql`'full' || ${user_id}::integer || '.' || n || '@example.org'`
  await app.db.execute(sql`
    INSERT INTO email_addresses (user_id, email) SELECT ${user_id}, ${email} FROM generate_series(1, 10) n ON CONFLICT DO NOTHING RETURNING email_addresses.id`)
}

export const nextNumber = (() => {
  let count = 0
  return () => ++count
})()

export const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
