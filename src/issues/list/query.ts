import Type, { type Static } from 'typebox'

import { text } from '../../locales/texts.ts'
import { AreaQuery } from '../../geo/area-query.ts'
import { CursorQuery, PageQuery } from '../../http/lists/pagination.ts'
import { TimestampParameter, commaList, idMax, stringEnum } from '../../http/schema/fields.ts'
import { problems } from '../../errors/problems.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { type ExtendedIssue, Issue, issueDetails } from '../schema.ts'

export const sorts = ['updated_at', 'created_at', 'rating', 'distance'] as const
/** The interface accepts both spellings of a status, but no other case. */
const statusSpellings = [...statuses.map((status) => status.toLowerCase()), ...statuses]
const issueFields = Object.keys(Issue.properties)

const idOrLiteral = (literal: string) => Type.Unsafe<string>({ type: 'string', pattern: `^([1-9]\\d{0,9}|${literal})$` })

/** The default of lists. */
export const listStatuses = ['open', 'acknowledged', 'closed']

/** Returns the parameter `status`. Its default has statuses in lower case. */
export const statusParameter = (options: { readonly default?: readonly string[]; readonly description?: string }) =>
  Type.Optional(
    commaList(Type.Unsafe<string>({ type: 'string', enum: statusSpellings }), {
      description: 'The statuses of the issues.',
      ...options,
      examples: [['open', 'acknowledged']],
      'x-allowed': text('comma_list', { values: 'open, acknowledged, closed, archived' }),
    }),
  )

/** The parameter `organization_id` of downloads and statistics. */
export const OrganizationParameter = Type.Optional(
  commaList(Type.Unsafe<string>({ type: 'string', pattern: '^[1-9]\\d{0,9}$' }), {
    description: 'Ids of organisations: the issues of their request types.',
    examples: [['1']],
    'x-allowed': text('organization_ids', { max: 100 }),
  }),
)

export const ListIssuesQuery = Type.Object({
  ...AreaQuery.properties,
  ...PageQuery.properties,
  ...CursorQuery.properties,
  status: statusParameter({ default: listStatuses }),
  sort: Type.Optional(
    stringEnum(sorts, {
      default: 'created_at',
      description: '`distance` needs a point or an area with a centre.',
      examples: ['rating'],
    }),
  ),
  sort_direction: Type.Optional(
    stringEnum(['ASC', 'DESC'], { description: 'The default is DESC, for `distance` ASC.', examples: ['DESC'] }),
  ),
  after: Type.Optional(TimestampParameter('Selects issues with created_at >= value.')),
  before: Type.Optional(TimestampParameter('Selects issues with created_at < value.')),
  updated_at_after: Type.Optional(TimestampParameter('Selects issues with updated_at >= value.')),
  updated_at_before: Type.Optional(TimestampParameter('Selects issues with updated_at < value.')),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Finds issues whose summary, description or address contains all these words or words that begin with them. A word that is similar to a much more frequent word also finds that word. A number also finds the issue with this id; `#` before it finds only this issue.',
      examples: ['pothole larimer'],
    }),
  ),
  request_types: Type.Optional(
    commaList(idOrLiteral('other'), {
      description: 'Ids of request types; `other` for issues without one.',
      examples: [['1', 'other']],
      'x-allowed': text('request_type_ids', { max: 100 }),
    }),
  ),
  assigned_to_me: Type.Optional(
    Type.Boolean({
      description: 'Issues assigned to the caller; ignored for anonymous callers.',
      examples: [true],
    }),
  ),
  assigned: Type.Optional(
    commaList(idOrLiteral('unassigned'), {
      description: 'Ids of assignees; `unassigned` for issues without one.',
      examples: [['unassigned']],
      'x-allowed': text('user_ids', { max: 100 }),
    }),
  ),
  details: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Returns extended issues, at most 20 per page.',
      examples: [true],
    }),
  ),
  'fields[issue]': Type.Optional(
    commaList(Type.Unsafe<keyof ExtendedIssue>({ type: 'string', enum: [...issueFields, ...issueDetails] }), {
      description: 'Only these keys of each issue.',
      examples: [['id', 'summary', 'status']],
      'x-allowed': text('comma_list_with_details', { values: issueFields.join(', '), more: issueDetails.join(', ') }),
    }),
  ),
})
export type ListIssuesQuery = Static<typeof ListIssuesQuery>

/** @throws Problem 422 for fields that the issues of this list do not have */
export function parseFields(query: ListIssuesQuery): readonly (keyof ExtendedIssue)[] | undefined {
  const fields = query['fields[issue]']
  const detailFields = query.details ? [] : (fields ?? []).filter((field) => (issueDetails as readonly string[]).includes(field))
  if (detailFields.length > 0)
    throw problems.invalid({ 'fields[issue]': text('names_only_with_details', { names: detailFields.join(', ') }) })
  return fields
}

/** Returns sparse issues, which lack required fields of the schema. */
export const pickFields = <Field extends string>(
  issues: readonly Readonly<Partial<Record<Field, unknown>>>[],
  fields: readonly Field[],
) => issues.map((issue) => Object.fromEntries(fields.map((field) => [field, issue[field]])))

export const isPossibleId = (id: number) => id <= idMax
