import type { MemberRole } from '../../src/http/identity/roles.ts'
import type { UserRole } from '../../prisma/generated/enums.ts'
import type { RequestTypeQuestionUncheckedCreateInput } from '../../prisma/generated/models.ts'
import { type Database, sql } from '../../src/database/database.ts'
import type { Point } from '../../src/geo/shapes.ts'
import { hashToken, newToken } from '../../src/http/identity/credentials.ts'
import { addLeakMarker } from '../contract/leak-markers.ts'
import type { Status } from '../../src/issue-lifecycle/status.ts'
import type { AnswerInput, CommentInput, FormQuestionInput, PlaceInput, QuestionInput } from './factory-inputs.ts'
import { queryRows } from './query-rows.ts'
import type { TestUser } from './test-user.ts'

export type { TestUser } from './test-user.ts'

export interface UserInput {
  readonly name?: string
  readonly role?: UserRole
  readonly civic_points?: number
  readonly share_location?: boolean
  readonly password_hash?: string
  readonly locale?: string
  readonly memberOf?: readonly { readonly organization: number; readonly role?: MemberRole }[]
}

export interface IssueInput extends Partial<Readonly<Record<'acknowledged_at' | 'closed_at' | 'reopened_at', string | null>>> {
  readonly id?: number
  readonly at?: Point
  readonly summary?: string
  readonly description?: string | null
  readonly address?: string | null
  readonly status?: Status
  readonly base_rating?: number
  readonly category?: string
  readonly video_url?: string
  readonly source?: 'web' | 'api' | 'open311' | 'import'
  readonly import_key?: string
  readonly outcome?: 'fixed' | 'not_ours' | 'passed_on'
  readonly reporter?: TestUser
  readonly anonymous?: boolean
  readonly locale?: string
  readonly assignee?: TestUser
  readonly request_type?: number
  readonly moderation_state?: 'passed' | 'held' | 'rejected'
  readonly created_at?: string
  readonly updated_at?: string
}

/** The names of Prisma, and those of the database. */
const storedRoles = {
  RegisteredUser: 'Registered User',
  VerifiedOfficial: 'Verified Official',
  Admin: 'Admin',
  Guest: 'Guest',
} satisfies Record<UserRole, string>

export type Factories = ReturnType<typeof createFactories>

/** GREEN is in New Haven, FAR_AWAY on the other side of the world. */
export const GREEN: Point = { lng: -72.9279, lat: 41.3083 }
export const FAR_AWAY: Point = { lng: 106.0, lat: -41.3 }

/** Returns a square GeoJSON polygon around a point; `size` is half a side in degrees. */
export function square({ lng, lat }: Point, size = 0.1) {
  const ring = [
    [lng - size, lat - size],
    [lng + size, lat - size],
    [lng + size, lat + size],
    [lng - size, lat + size],
    [lng - size, lat - size],
  ]
  return { type: 'Polygon' as const, coordinates: [ring] }
}

/** Factories of rows; they choose every value that a test does not specify. */
export function createFactories(db: Database) {
  let count = 0

  const multi = (polygon: object) => sql`ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${JSON.stringify(polygon)}), 4326))`
  const revise = (issue: number, isPublic: boolean) => db.execute(sql`SELECT revise_issue(${issue}, ${isPublic})`)

  return {
    /** One SQL statement, because nearly every test creates users: with Prisma it takes three times as long. */
    async user({ name = `Resident ${++count}`, memberOf = [], ...rest }: UserInput = {}): Promise<TestUser> {
      const { role = 'RegisteredUser', civic_points = 0, share_location = false, password_hash = null, locale = 'en' } = rest
      const token = newToken()
      const emailName = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')
      const organizations = memberOf.map(({ organization }) => organization)
      const roles = memberOf.map(({ role: memberRole = 'employee' }) => memberRole)
      const [user] = await queryRows<{ id: number; email: string }>(
        db,
        sql`
        WITH added_user AS (
          INSERT INTO users (name, role, civic_points, share_location, password_hash, locale)
          VALUES (${name}, ${storedRoles[role]}::user_role, ${civic_points}, ${share_location}, ${password_hash}, ${locale})
          RETURNING id
        ), added_email AS (
          INSERT INTO email_addresses (user_id, email, confirmed_at)
          SELECT added_user.id, ${emailName} || '.' || added_user.id || '@example.org', now() FROM added_user
          RETURNING email
        ), added_token AS (
          INSERT INTO tokens (user_id, token_hash) SELECT added_user.id, ${hashToken(token)} FROM added_user
        ), added_members AS (
          INSERT INTO organization_members (organization_id, user_id, role)
          SELECT member.organization_id, added_user.id, member.role::member_role
          FROM added_user, unnest(${organizations}::integer[], ${roles}::text[]) AS member (organization_id, role)
        )
        SELECT added_user.id, added_email.email FROM added_user, added_email`,
      )
      if (!user) throw new Error('The statement returned no user.')
      addLeakMarker({ kind: 'address', owner: user.id }, user.email)
      addLeakMarker({ kind: 'token' }, token)
      return { id: user.id, name, email: user.email, token }
    },

    async place(wanted: PlaceInput = {}) {
      const { url_name = `place-${++count}`, around = GREEN, size = 0.1, place_type = 'City' } = wanted
      const { name = url_name, boundary = square(around, size) } = wanted
      const shape = multi(boundary)
      const [place] = await queryRows<{ id: number }>(
        db,
        sql`
        INSERT INTO places (name, url_name, place_type, county, state, boundary, center_lng, center_lat, area_m2)
        VALUES (${name}, ${url_name}, ${place_type}, 'Some County', 'CT', ${shape},
          ST_X(ST_PointOnSurface(${shape})), ST_Y(ST_PointOnSurface(${shape})), ST_Area(ST_Segmentize(${shape}, 0.05)::geography, false))
        RETURNING id`,
      )
      return { id: place?.id ?? 0, url_name }
    },

    async organization({ name = `Department ${++count}`, around = GREEN, size = 0.1, shows_people = true } = {}): Promise<number> {
      const [organization] = await queryRows<{ id: number }>(
        db,
        sql`INSERT INTO organizations (name, area, shows_people) VALUES (${name}, ${multi(square(around, size))}, ${shows_people}::boolean) RETURNING id`,
      )
      return organization?.id ?? 0
    },

    async requestType({
      title = `Type ${++count}`,
      organization = null as number | null,
      category = 'other',
      questions = [] as FormQuestionInput[],
    } = {}): Promise<number> {
      const type = await db.prisma.requestType.create({ data: { title, category, organization_id: organization } })
      for (const [position, { select_values, ...question }] of questions.entries()) {
        const data = { request_type_id: type.id, position, ...question, ...(select_values ? { select_values } : {}) }
        await db.prisma.requestTypeQuestion.create({ data: data as RequestTypeQuestionUncheckedCreateInput })
      }
      return type.id
    },

    async issue({
      at = GREEN,
      reporter,
      assignee,
      request_type,
      created_at,
      updated_at,
      acknowledged_at,
      closed_at,
      reopened_at,
      ...rest
    }: IssueInput = {}): Promise<number> {
      const date = (text: string | null | undefined) => (text ? new Date(text) : null)
      const created = date(created_at) ?? new Date('2026-01-01T00:00:00Z')
      const { id } = await db.prisma.issue.create({
        data: {
          summary: `Issue ${++count}`,
          ...rest,
          lng: at.lng,
          lat: at.lat,
          reporter_id: reporter?.id ?? null,
          assignee_id: assignee?.id ?? null,
          request_type_id: request_type ?? null,
          created_at: created,
          updated_at: date(updated_at) ?? created,
          acknowledged_at: date(acknowledged_at),
          closed_at: date(closed_at),
          reopened_at: date(reopened_at),
        },
      })
      if (reporter && rest.anonymous) addLeakMarker({ kind: 'reporter', issue: id, person: reporter.id }, reporter.name)
      return id
    },

    async comment({ on, by, comment = 'Still there.', created_at, moderation_state = 'passed' }: CommentInput): Promise<number> {
      const at = new Date(created_at ?? '2026-01-02T00:00:00Z')
      const data = { issue_id: on, commenter_id: by?.id ?? null, comment, moderation_state, created_at: at, updated_at: at }
      const { id } = await db.prisma.comment.create({ data })
      await revise(on, moderation_state === 'passed')
      return id
    },

    async vote({ on, by }: { on: number; by: TestUser }): Promise<void> {
      await db.prisma.vote.create({ data: { issue_id: on, user_id: by.id } })
      await db.prisma.issue.update({ where: { id: on }, data: { vote_count: { increment: 1 } } })
    },

    async follow({ on, by }: { on: number; by: TestUser }): Promise<void> {
      await db.prisma.follow.create({ data: { issue_id: on, user_id: by.id } })
    },

    async formAnswer({
      on,
      question,
      answer,
      answer_kept_private = false,
    }: {
      on: number
      question: string
      answer: string
      answer_kept_private?: boolean
    }) {
      if (answer_kept_private) addLeakMarker({ kind: 'answer', issue: on }, answer)
      await db.prisma.issueAnswer.create({ data: { issue_id: on, question, answer, value: answer, answer_kept_private } })
      await revise(on, !answer_kept_private)
    },

    async question({
      place,
      by,
      question = 'Where can I drop off old paint?',
      created_at,
      moderation_state = 'passed',
    }: QuestionInput) {
      const at = new Date(created_at ?? '2026-01-03T00:00:00Z')
      const data = { place_id: place, asker_id: by?.id ?? null, question, moderation_state, created_at: at, updated_at: at }
      return (await db.prisma.question.create({ data })).id
    },

    async answer({ on, by, answer = 'At the depot.', created_at, accepted_at, moderation_state = 'passed' }: AnswerInput) {
      const at = new Date(created_at ?? '2026-01-04T00:00:00Z')
      const when = { created_at: at, updated_at: at, accepted_at: accepted_at ? new Date(accepted_at) : null }
      const data = { question_id: on, answerer_id: by?.id ?? null, answer, locale: 'en', moderation_state, ...when }
      return (await db.prisma.answer.create({ data })).id
    },

    async answerVote({ on, by }: { on: number; by: TestUser }): Promise<void> {
      await db.prisma.answerVote.create({ data: { answer_id: on, user_id: by.id } })
    },

    async watchArea({
      of,
      token = `watch-${++count}`,
      area = square(GREEN),
    }: {
      of: TestUser
      token?: string
      area?: object
    }): Promise<string> {
      await db.execute(sql`INSERT INTO watch_areas (user_id, watcher_token, area) VALUES (${of.id}, ${token}, ${multi(area)})`)
      addLeakMarker({ kind: 'watcher', owner: of.id }, token)
      return token
    },
  }
}
