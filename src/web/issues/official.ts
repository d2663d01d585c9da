import type { CommentRow } from '../../comments/queries.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { transitions } from '../../issue-lifecycle/transitions.ts'
import type { StatusChangeRow } from '../../issues/history-queries.ts'
import type { UserSummary } from '../../users/schema.ts'
import type { IssueView } from './issue-view.ts'
import { officialTexts } from './official-texts.ts'

type Author = Pick<UserSummary, 'id' | 'role'>

/**
 * The author of an entry, as far as it is public. Memberships are not: an author belongs to the organisation if a public change
 * of this issue needed it, or if the issue is assigned to the author. Otherwise only the public role is known.
 */
export interface Official {
  readonly kind: 'official' | 'verifiedOfficial' | 'admin'
  readonly organization: string | null
}

/** Returns whether only employees of a responsible organisation, and Admins, may make the change. */
const needsEmployee = ({ from_status, to_status }: StatusChangeRow) =>
  transitions.some(
    ({ from, to, trigger }) => from === from_status && to === to_status && 'role' in trigger && trigger.role === 'employee',
  )

export function createOfficials({ issue, comments, changes }: Pick<IssueView, 'issue' | 'comments' | 'changes'>) {
  const organization = issue.request_type.organization ?? null
  const official: Official = { kind: 'official', organization }
  const officialComments = new Set(changes.filter(needsEmployee).map(({ comment_id }) => comment_id))
  const employees = new Set([
    ...(issue.assignee ? [issue.assignee.id] : []),
    ...comments.flatMap(({ id, commenter }) => (commenter && officialComments.has(id) ? [commenter.id] : [])),
  ])

  return {
    ofComment({ id, commenter }: Pick<CommentRow, 'id'> & { readonly commenter: Author | null }): Official | undefined {
      if (commenter?.role === 'Admin') return { kind: 'admin', organization: null }
      if (officialComments.has(id)) return official
      if (commenter?.role !== 'Verified Official') return undefined
      return employees.has(commenter.id) ? official : { kind: 'verifiedOfficial', organization: null }
    },
    ofChange(change: StatusChangeRow): Official | undefined {
      if (change.actor_role === 'Admin') return { kind: 'admin', organization: null }
      return needsEmployee(change) ? official : undefined
    },
  }
}

export type Officials = ReturnType<typeof createOfficials>

export function officialBadge(official: Official | undefined, language: Language): SafeHtml | string {
  if (!official) return ''
  const name = officialTexts[language][official.kind]
  const organization = official.organization === null ? '' : html` · ${official.organization}`
  return html`<span class="official">${name}${organization}</span>`
}
