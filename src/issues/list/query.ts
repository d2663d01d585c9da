import Type, { type Static } from 'typebox'

import { AreaQuery } from '../../geo/area-query.ts'
import { CursorQuery } from '../../http/lists/cursor.ts'
import { TimestampParameter } from '../../http/schema/timestamps.ts'
import { PageQuery } from '../../http/lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { commaList, idMax, oneOf } from '../../http/schema/fields.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { type ExtendedIssue, Issue, issueDetails } from '../schema.ts'

export const sorts = ['updated_at', 'created_at', 'rating', 'distance'] as const
/** Both written spellings of each state, and no other case. */
const statusSpellings = [...statuses.map((status) => status.toLowerCase()), ...statuses]
const issueFields = Object.keys(Issue.properties)

const idOr = (literal: string) => Type.Unsafe<string>({ type: 'string', pattern: `^([1-9]\\d{0,9}|${literal})$` })

/** Everything that narrows, sorts and shapes a list of issues. */
export const ListIssuesQuery = Type.Object({
  ...AreaQuery.properties,
  ...PageQuery.properties,
  ...CursorQuery.properties,
  status: Type.Optional(
    commaList(Type.Unsafe<string>({ type: 'string', enum: statusSpellings }), {
      default: ['open', 'acknowledged', 'closed'],
      description: 'States to show.',
      examples: [['open', 'acknowledged']],
      'x-allowed': 'a comma list of open, acknowledged, closed, archived',
    }),
  ),
  sort: Type.Optional(
    oneOf(sorts, { default: 'created_at', description: 'distance needs a point or an area with a centre.', examples: ['rating'] }),
  ),
  sort_direction: Type.Optional(oneOf(['ASC', 'DESC'], { description: 'Default DESC, for distance ASC.', examples: ['DESC'] })),
  after: Type.Optional(TimestampParameter('Keeps issues with created_at >= value.')),
  before: Type.Optional(TimestampParameter('Keeps issues with created_at < value.')),
  updated_at_after: Type.Optional(TimestampParameter('Keeps issues with updated_at >= value.')),
  updated_at_before: Type.Optional(TimestampParameter('Keeps issues with updated_at < value.')),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words of summary, description and address, all of which must be there; beginnings of words count. A word that is like a much more frequent one finds that, too.',
      examples: ['pothole larimer'],
      'x-allowed': 'a text of at most 200 characters',
    }),
  ),
  request_types: Type.Optional(
    commaList(idOr('other'), {
      description: 'Ids of request types; `other` for issues without one.',
      examples: [['1', 'other']],
      'x-allowed': 'a comma list of at most 100 request type ids, or other',
    }),
  ),
  assigned_to_me: Type.Optional(
    Type.Unsafe<true>({
      type: 'boolean',
      const: true,
      description: 'Issues assigned to the caller; ignored for nobody.',
      examples: [true],
      'x-allowed': 'true',
    }),
  ),
  assigned: Type.Optional(
    commaList(idOr('unassigned'), {
      description: 'Ids of assignees; `unassigned` for issues without one.',
      examples: [['unassigned']],
      'x-allowed': 'a comma list of at most 100 user ids, or unassigned',
    }),
  ),
  details: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Extended issues, at most 20 a page.',
      examples: [true],
      'x-allowed': 'true or false',
    }),
  ),
  'fields[issue]': Type.Optional(
    commaList(Type.Unsafe<keyof ExtendedIssue>({ type: 'string', enum: [...issueFields, ...issueDetails] }), {
      description: 'Only these keys of each issue.',
      examples: [['id', 'summary', 'status']],
      'x-allowed': `a comma list of ${issueFields.join(', ')}, and with details=true ${issueDetails.join(', ')}`,
    }),
  ),
})
export type ListIssuesQuery = Static<typeof ListIssuesQuery>

/**
 * The keys that are asked for, undefined for all of them.
 * @throws Problem 422 for keys that the issues of this list do not have
 */
export function fieldsOf(query: ListIssuesQuery): readonly (keyof ExtendedIssue)[] | undefined {
  const fields = query['fields[issue]']
  const detailed = query.details ? [] : (fields ?? []).filter((field) => (issueDetails as readonly string[]).includes(field))
  if (detailed.length > 0)
    throw problems.invalid({ 'fields[issue]': `names what goes with details=true only: ${detailed.join(', ')}` })
  return fields
}

/** An id as the database can hold it; larger ones name nothing. */
export const isPossibleId = (id: number) => id <= idMax
