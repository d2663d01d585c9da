import Type, { type Static } from 'typebox'

import { type Language, languages, textsIn } from '../locales/texts.ts'
import { Count, Id, nullable, stringEnum, Timestamp } from '../database/database.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { roles, wittyTitle } from './rules.ts'
import type { OwnUser, User, UserSummary } from './schema.ts'
import type { Settings } from './settings-queries.ts'

const summaryColumns = {
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

const userPageUrl = (id: number, urls: Urls) => urls.at(`/users/${id}`)

export const UserRow = Type.Object({
  ...summaryColumns,
  created_at: Timestamp,
  updated_at: Timestamp,
  reported_issue_count: Count,
  closed_issue_count: Count,
  comments_count: Count,
  following_issue_count: Count,
  voted_issue_count: Count,
  can_acknowledge: Type.Boolean(),
})
export type UserRow = Static<typeof UserRow>

export function toUser({ avatar_full, avatar_square, can_acknowledge, ...row }: UserRow, urls: Urls): User {
  return {
    ...row,
    avatar: toAvatar({ avatar_full, avatar_square }, urls),
    html_url: userPageUrl(row.id, urls),
    permissions: { can_acknowledge },
    witty_title: wittyTitle(row.civic_points),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

export function toOwnUser(row: UserRow, { locale, place_url_name, share_location, issue_mails }: Settings, urls: Urls): OwnUser {
  return { ...toUser(row, urls), locale, place_url_name, share_location, issue_mails }
}

/** Returns whether the URL is the icon that stands for a missing avatar. */
export const isDefaultAvatar = (full: string): boolean => full.endsWith('/files/icons/avatar.svg')

function toAvatar({ avatar_full, avatar_square }: Pick<UserSummaryRow, 'avatar_full' | 'avatar_square'>, urls: Urls) {
  const full = urls.at(avatar_full === null ? '/files/icons/avatar.svg' : `/files/${avatar_full}`)
  return { full, square_100x100: avatar_square === null ? full : urls.at(`/files/${avatar_square}`) }
}
