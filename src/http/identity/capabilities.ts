import type { Viewer } from './viewer-queries.ts'
import { type Capability, type MemberRole, memberRoles, rolesWith } from './roles.ts'

/** Returns the ids of the organisations in which the caller has the capability. Admins have every capability without a membership. */
export function organizationIdsWith(viewer: Viewer, capability: Capability): number[] {
  const roles = rolesWith(capability)
  return viewer.memberships.filter(({ role }) => roles.includes(role)).map(({ organization_id }) => organization_id)
}

/** Returns whether the caller has the capability in the organisation. */
export const mayIn = (viewer: Viewer | null, capability: Capability, organizationId: number): boolean =>
  viewer !== null && (viewer.isAdmin || organizationIdsWith(viewer, capability).includes(organizationId))

/** Returns whether the caller decides on content of any organisation. */
export const isModerator = (viewer: Viewer): boolean => viewer.isAdmin || organizationIdsWith(viewer, 'moderate').length > 0

/** Returns the roles that the caller may give to members of the organisation, and take from them. */
export function assignableRoles(viewer: Viewer, organizationId: number): readonly MemberRole[] {
  if (mayIn(viewer, 'manage_organization', organizationId)) return memberRoles
  return mayIn(viewer, 'manage_members', organizationId) ? memberRoles.filter((role) => role !== 'owner') : []
}
