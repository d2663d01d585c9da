import type { Texts } from '../../locales/texts.ts'
import type { CommentRow } from '../../comments/queries.ts'
import { inLanguage } from '../../html/lang.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { OfficialOrganization } from '../../issue-lifecycle/official-organization.ts'
import { transitions } from '../../issue-lifecycle/transitions.ts'
import type { StatusChangeRow } from '../../issues/history-queries.ts'
import { translateType } from '../../request-types/present.ts'
import type { UserSummary } from '../../users/schema.ts'
import type { IssueView } from './issue-view.ts'

type Author = Pick<UserSummary, 'id' | 'role'>

/** The author of an entry, with the organisation for which an official acts on this issue. */
export interface Official {
  readonly kind: 'official' | 'verifiedOfficial' | 'admin'
  readonly organization: OfficialOrganization | null
}

/** Returns whether only employees of a responsible organisation, and Admins, may make the change. */
const needsEmployee = ({ from_status, to_status }: StatusChangeRow) =>
  transitions.some(
    ({ from, to, trigger }) => from === from_status && to === to_status && 'role' in trigger && trigger.role === 'employee',
  )

/** A member who may not work on the issue closes it as a resident. */
const isByResident = ({ outcome }: StatusChangeRow) => outcome === 'reported_fixed'

export function createOfficials({ row, changes, organizations, texts }: IssueView) {
  const residentComments = new Set(changes.filter(isByResident).map(({ comment_id }) => comment_id))
  const type = row.request_type && translateType(row.request_type, texts.language)
  const responsible = type?.organization
    ? { name: type.organization, language: type.organization_language ?? texts.language, shows_people: false }
    : null
  const officialComments = new Set(changes.filter(needsEmployee).map(({ comment_id }) => comment_id))
  /** An official who made a change may have left the organisation since, and an author of unknown role may be deleted. */
  const toOfficial = (id: number | undefined, changedAsEmployee: boolean): Official => {
    const organization = (id === undefined ? undefined : organizations.get(id)) ?? null
    if (organization !== null) return { kind: 'official', organization }
    return changedAsEmployee ? { kind: 'official', organization: responsible } : { kind: 'verifiedOfficial', organization: null }
  }

  return {
    ofComment({ id, commenter }: Pick<CommentRow, 'id'> & { readonly commenter: Author | null }): Official | undefined {
      if (residentComments.has(id)) return undefined
      if (commenter?.role === 'Admin') return { kind: 'admin', organization: null }
      const changedAsEmployee = officialComments.has(id)
      return changedAsEmployee || commenter?.role === 'Verified Official' ? toOfficial(commenter?.id, changedAsEmployee) : undefined
    },
    ofChange(change: StatusChangeRow): Official | undefined {
      if (isByResident(change)) return undefined
      if (change.actor_role === 'Admin') return { kind: 'admin', organization: null }
      const changedAsEmployee = needsEmployee(change)
      return changedAsEmployee || change.actor_role === 'Verified Official'
        ? toOfficial(change.actor_id ?? undefined, changedAsEmployee)
        : undefined
    },
  }
}

export type Officials = ReturnType<typeof createOfficials>

export function officialBadge(official: Official | undefined, texts: Texts): SafeHtml | string {
  if (!official) return ''
  const name = texts(`officialComment.${official.kind}`)
  const { organization } = official
  return html`<span class="official">${name}${organization === null ? '' : html` · ${inLanguage(organization.name, organization.language, texts.language)}`}</span>`
}
