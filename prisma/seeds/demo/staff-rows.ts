import type { CopyValue } from '../../../src/database/copy-database.ts'
import type { DraftIssue } from '../drafts.ts'
import type { Organization } from '../organizations.ts'
import type { Person } from '../person.ts'
import { staffTexts } from '../phrases/phrases.ts'
import type { Scenario } from '../scenario.ts'
import { iso } from './people-rows.ts'
import type { IssueRows, LastIds, TableRows } from './table-rows.ts'

/** Returns the rows of the work of organisations. Their ids come from the sequences. */
export function staffRows({ people, requestTypes, issues, now }: Scenario, last: LastIds, ids: IssueRows): TableRows[] {
  const userId = ({ id }: Person) => last.users + id
  const organizationId = ({ id }: Organization) => last.organizations + id
  const idOf = (issue: DraftIssue) => ids.issueId.get(issue) ?? 0
  const typeOf = (organization: Organization) => requestTypes.find((type) => type.organization === organization)
  const merges = issues.flatMap((issue) => (issue.merge ? [{ issue, ...issue.merge }] : []))
  const transfers = issues.flatMap((issue) =>
    issue.transfer ? [{ issue, ...issue.transfer, answeredAt: iso(issue.transfer.offeredAt + HOUR_MS) }] : [],
  )
  const employee = ({ employees: [first] }: Organization) => (first ? userId(first) : null)
  return [
    {
      table: 'response_templates',
      columns: ['organization_id', 'title', 'texts', 'statuses', 'outcome', 'position', 'created_at', 'updated_at'],
      rows: people.organizations.flatMap((organization) =>
        staffTexts.templates.map(({ title, texts, status, outcome }, position): CopyValue[] => [
          ...[organizationId(organization), title, JSON.stringify(texts), `{${status}}`, outcome, position, iso(now), iso(now)],
        ]),
      ),
    },
    {
      table: 'issue_notes',
      columns: ['issue_id', 'author_id', 'text', 'created_at'],
      rows: issues.flatMap((issue) => (issue.notes ?? []).map(({ by, at, text }) => [idOf(issue), userId(by), text, iso(at)])),
    },
    {
      table: 'closing_answers',
      columns: ['status_change_id', 'user_id', 'issue_id', 'is_fixed', 'answered_at'],
      rows: issues.flatMap((issue) =>
        (issue.closingAnswers ?? []).map(({ closing, by, at, isFixed }) => [
          ...[ids.statusChangeId.get(closing) ?? 0, userId(by), idOf(issue), isFixed, iso(at)],
        ]),
      ),
    },
    {
      table: 'issue_transfers',
      columns: [
        ...['issue_id', 'from_id', 'to_id', 'reason', 'request_type_id', 'offered_by', 'offered_at'],
        ...['answered_by', 'answered_at', 'state', 'refusal'],
      ],
      rows: transfers.map(({ issue, from, to, reason, offeredAt, state, answeredAt }): CopyValue[] => [
        ...[idOf(issue), organizationId(from), organizationId(to), reason],
        state === 'accepted' && issue.requestType ? last.request_types + issue.requestType.id : null,
        ...[employee(from), iso(offeredAt), ...(state === 'offered' ? [null, null] : [employee(to), answeredAt]), state],
        state === 'refused' ? (staffTexts.refusals[0] ?? null) : null,
      ]),
    },
    {
      table: 'issue_merges',
      columns: ['issue_id', 'into_id', 'from_status', 'comment_id', 'followers', 'merged_by', 'merged_at'],
      rows: merges.map(({ issue, into, at, by, carried }) => [
        ...[idOf(issue), idOf(into), 'Open', commentOf(issue, at, ids)],
        ...[carried ? `{${userId(issue.reporter)}}` : '{}', userId(by), iso(at)],
      ]),
    },
    {
      table: 'issue_log',
      columns: [
        'issue_id',
        'version',
        'actor_id',
        'organization_id',
        'kind',
        'before',
        'after',
        'is_public',
        'source',
        'created_at',
      ],
      rows: [
        ...merges.map(({ issue, into, at, by }): CopyValue[] => [
          ...[idOf(issue), 2, userId(by), organizationOf(issue, last), 'merge', JSON.stringify({ duplicate_of: null })],
          ...[JSON.stringify({ duplicate_of: idOf(into) }), true, 'web', iso(at)],
        ]),
        ...transfers.map(({ issue, from, to, state, reason, offeredAt, answeredAt }): CopyValue[] => {
          const isOffer = state === 'offered'
          const [type, former] = [issue.requestType, typeOf(from)].map((one) => (one ? last.request_types + one.id : null))
          const before = { organization_id: organizationId(from), ...(state === 'accepted' ? { request_type_id: former } : {}) }
          const after = {
            state,
            organization_id: organizationId(to),
            ...(state === 'accepted' ? { request_type_id: type } : { reason }),
          }
          const by = isOffer ? from : to
          return [
            ...[idOf(issue), 2, employee(by), organizationId(by), 'transfer', JSON.stringify(before), JSON.stringify(after)],
            ...[state === 'accepted', 'web', isOffer ? iso(offeredAt) : answeredAt],
          ]
        }),
      ],
    },
  ]
}

const HOUR_MS = 3_600_000

const organizationOf = ({ requestType }: DraftIssue, last: LastIds) =>
  requestType?.organization ? last.organizations + requestType.organization.id : null

function commentOf({ comments }: DraftIssue, at: number, { commentId }: IssueRows): number | null {
  const comment = comments.find((one) => one.at === at)
  return comment ? (commentId.get(comment) ?? null) : null
}
