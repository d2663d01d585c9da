import Type, { type Static } from 'typebox'

import { type Language, languages, textsIn } from '../locales/texts.ts'
import { Count, Id, nullable, stringEnum, type Sql, sql } from '../database/database.ts'
import type { Urls } from '../http/request/urls.ts'
import { roles, wittyTitle } from './rules.ts'
import type { UserSummary } from './schema.ts'

export const summaryColumns = {
  id: Id,
  name: Type.String(),
  role: stringEnum(roles),
  civic_points: Type.Integer(),
  avatar_full: nullable(Type.String()),
  avatar_square: nullable(Type.String()),
}

export const UserSummaryRow = Type.Object({
  ...summaryColumns,
  /** It changes with every other value. */
  summary_revision: Count,
})
export type UserSummaryRow = Static<typeof UserSummaryRow>

/** The name that stands for an anonymous or deleted user. */
export const anonymousName = textsIn('en')('anonymousUser')

const anonymousUser: UserSummaryRow = {
  id: 0,
  name: anonymousName,
  role: 'Guest',
  civic_points: 0,
  avatar_full: null,
  avatar_square: null,
  summary_revision: 0,
}

/** Returns the summary of a user; null means an anonymous or deleted user. */
export function toUserSummary(row: UserSummaryRow | null, urls: Urls): UserSummary {
  const { id, name, role, civic_points, ...avatar } = row ?? anonymousUser
  const html_url = row ? userPageUrl(id, urls) : null
  return { avatar: toAvatar(avatar, urls), civic_points, html_url, id, name, role, witty_title: wittyTitle(civic_points) }
}

/** Returns an organisation in the place of the official who acted for it. It has no profile. */
export const toDepartmentSummary = ({ name }: { readonly name: string }, urls: Urls): UserSummary => ({
  ...toUserSummary(null, urls),
  name,
  role: 'Verified Official',
})

/** The names of accounts that reports by e-mail alone have made, each in the language of its report. */
const residentNames = languages.map((language) => textsIn(language)('errors.resident'))

/** Returns the name of a user for a page in a language. */
export function userName({ id, name }: Pick<UserSummary, 'id' | 'name'>, language: Language): string {
  if (id === anonymousUser.id) return textsIn(language)('anonymousUser')
  return residentNames.includes(name) ? textsIn(language)('errors.resident') : name
}

export const userPageUrl = (id: number, urls: Urls) => urls.at(`/users/${id}`)

/** Returns whether the URL is the icon that stands for a missing avatar. */
export const isDefaultAvatar = (full: string): boolean => full.endsWith('/files/icons/avatar.svg')

export function toAvatar({ avatar_full, avatar_square }: Pick<UserSummaryRow, 'avatar_full' | 'avatar_square'>, urls: Urls) {
  const full = urls.at(avatar_full === null ? '/files/icons/avatar.svg' : `/files/${avatar_full}`)
  return { full, square_100x100: avatar_square === null ? full : urls.at(`/files/${avatar_square}`) }
}

/** Returns SQL for a user as a JSON object, or null if the join found none. `u` is the alias of `users`. */
export function userSummary(u: Sql): Sql {
  return sql`CASE WHEN ${u}.id IS NULL THEN NULL ELSE json_build_object('id', ${u}.id, 'name', ${u}.name, 'role', ${u}.role,
    'civic_points', ${u}.civic_points, 'avatar_full', ${u}.avatar_full, 'avatar_square', ${u}.avatar_square,
    'summary_revision', ${u}.summary_revision) END`
}
