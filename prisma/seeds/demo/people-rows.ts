import type { CopyValue } from '../../../src/database/copy-database.ts'
import type { City } from '../cities/city.ts'
import type { LastIds, TableRows } from './table-rows.ts'
import { keyOf } from '../organizations.ts'
import type { QuestionSpec } from '../request-types.ts'
import type { Scenario } from '../scenario.ts'
import { toTranslations } from '../translations.ts'

export const iso = (ms: number): string => new Date(ms).toISOString()

/** Only the accounts for logging in have an e-mail address, so that no other user of the demo can get mail. */
export function peopleRows(
  { people, joinedAt, now }: Scenario,
  last: LastIds,
  placeOf: (city: City) => number,
  passwordHashes: ReadonlyMap<string, string>,
): { users: TableRows; emailAddresses: TableRows; members: TableRows } {
  const userId = (id: number) => last.users + id
  const users = people.all.map((person): CopyValue[] => {
    const joined = joinedAt.get(person) ?? now
    const seen = iso(Math.max(person.lastSeen ?? joined, joined))
    return [
      ...[userId(person.id), person.name, person.role, person.civicPoints],
      person.login ? (passwordHashes.get(person.login.email) ?? null) : null,
      person.city ? placeOf(person.city) : null,
      ...[person.sharesLocation, iso(joined), seen],
    ]
  })
  const logins = people.all.flatMap((person) => (person.login ? [{ person, email: person.login.email }] : []))
  const emailAddresses = logins.map(({ person, email }, index): CopyValue[] => {
    const joined = iso(joinedAt.get(person) ?? now)
    return [last.email_addresses + 1 + index, userId(person.id), email, joined, joined]
  })
  const members = people.organizations.flatMap(({ id, employees, moderator }) =>
    // People with a login may try all that an organisation can do.
    [
      ...employees.map((person) => ({ person, role: person.login ? 'owner' : 'employee' })),
      { person: moderator, role: 'moderator' },
    ].map(({ person, role }): CopyValue[] => [last.organizations + id, userId(person.id), role, iso(joinedAt.get(person) ?? now)]),
  )
  return {
    users: {
      table: 'users',
      columns: [
        ...['id', 'name', 'role', 'civic_points', 'password_hash', 'home_place_id'],
        ...['share_location', 'created_at', 'updated_at'],
      ],
      rows: users,
    },
    emailAddresses: {
      table: 'email_addresses',
      columns: ['id', 'user_id', 'email', 'confirmed_at', 'created_at'],
      rows: emailAddresses,
    },
    members: { table: 'organization_members', columns: ['organization_id', 'user_id', 'role', 'created_at'], rows: members },
  }
}

export function formRows({ requestTypes, now }: Scenario, last: LastIds): [TableRows, TableRows] {
  const types = requestTypes.map(({ id, organization, spec, position }): CopyValue[] => [
    ...[last.request_types + id, organization ? last.organizations + organization.id : null],
    ...[spec.title, toTranslations((translate) => ({ title: translate(spec.title) })), spec.category, position, iso(now)],
  ])
  const questions = requestTypes.flatMap(({ id: type, builtIns, questions }) => {
    const base = last.request_types + type
    const builtInRows = builtIns.map(({ id, builtIn, question, type: kind }): CopyValue[] => [
      ...[last.request_type_questions + id, base, builtIn, question, kind, false, builtIn === 'summary', null],
      toTranslations((translate) => ({ question: translate(question) })),
    ])
    const ownRows = questions.map(({ id, spec }): CopyValue[] => [
      ...[last.request_type_questions + id, base, builtInOf(spec), spec.question, spec.type, spec.visibility === 'private'],
      ...[spec.required === true, selectValues(spec), questionTranslations(spec)],
    ])
    return [...builtInRows.slice(0, 2), ...ownRows, ...builtInRows.slice(2)].map((row, position) => [...row, position])
  })
  return [
    {
      table: 'request_types',
      columns: ['id', 'organization_id', 'title', 'translations', 'category', 'position', 'created_at'],
      rows: types,
    },
    {
      table: 'request_type_questions',
      columns: [
        ...['id', 'request_type_id', 'built_in', 'question', 'question_type', 'answer_kept_private'],
        ...['response_required', 'select_values', 'translations', 'position'],
      ],
      rows: questions,
    },
  ]
}

const builtInOf = (spec: QuestionSpec) => (spec.type === 'boolean' ? (spec.builtIn ?? null) : null)

const choicesOf = (spec: QuestionSpec) => (spec.type === 'select' || spec.type === 'multivaluelist' ? spec.choices : null)

function selectValues(spec: QuestionSpec): string | null {
  const choices = choicesOf(spec)
  return choices && JSON.stringify(choices.map((name) => ({ key: keyOf(name), name })))
}

const questionTranslations = (spec: QuestionSpec): string => {
  const choices = choicesOf(spec)
  return toTranslations((translate) => ({
    question: translate(spec.question),
    ...(choices ? { select_values: Object.fromEntries(choices.map((name) => [keyOf(name), translate(name)])) } : {}),
  }))
}
