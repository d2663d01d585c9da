import { toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { wittyTitle } from './rules.ts'
import type { OwnUser, User, UserSummary } from './schema.ts'
import type { Settings } from './settings-queries.ts'

/** What the SQL of `userSummary()` gives. */
export interface UserSummaryRow {
  readonly id: number
  readonly name: string
  readonly role: string
  readonly civic_points: number
  readonly avatar_full: string | null
  readonly avatar_square: string | null
}

const anonymousUser: UserSummaryRow = {
  id: 0,
  name: 'An anonymous user',
  role: 'Guest',
  civic_points: 0,
  avatar_full: null,
  avatar_square: null,
}

/** Null is whoever may not or cannot be named. */
export function toUserSummary(row: UserSummaryRow | null, urls: Urls): UserSummary {
  const { id, name, role, civic_points, ...avatar } = row ?? anonymousUser
  const html_url = row ? pageOf(id, urls) : null
  return { avatar: toAvatar(avatar, urls), civic_points, html_url, id, name, role, witty_title: wittyTitle(civic_points) }
}

const pageOf = (id: number, urls: Urls) => urls.at(`/users/${id}`)

/** As `summaryText()` has it in SQL. The name, which may hold anything, stands last, and a key behind a `+`, so that no two summaries have one text. */
export function textOfSummary({ id, name, role, civic_points, avatar_full, avatar_square, ...more }: UserSummaryRow): string {
  more satisfies Record<string, never>
  return [id, civic_points, keyText(avatar_full), keyText(avatar_square), role, name].join('\n')
}

const keyText = (key: string | null) => (key === null ? '-' : `+${key}`)

export interface UserRow extends UserSummaryRow {
  readonly closed_issue_count: number
  readonly comments_count: number
  readonly following_issue_count: number
  readonly reported_issue_count: number
  readonly voted_issue_count: number
  readonly can_acknowledge: boolean
  readonly created_at: string
  readonly updated_at: string
}

export function toUser({ avatar_full, avatar_square, can_acknowledge, ...row }: UserRow, urls: Urls): User {
  return {
    ...row,
    avatar: toAvatar({ avatar_full, avatar_square }, urls),
    html_url: pageOf(row.id, urls),
    permissions: { can_acknowledge },
    witty_title: wittyTitle(row.civic_points),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

export function toOwnUser(row: UserRow, { locale, place_url_name, share_location, issue_mails }: Settings, urls: Urls): OwnUser {
  return { ...toUser(row, urls), locale, place_url_name, share_location, issue_mails }
}

function toAvatar({ avatar_full, avatar_square }: Pick<UserSummaryRow, 'avatar_full' | 'avatar_square'>, urls: Urls) {
  const full = urls.at(avatar_full === null ? '/files/icons/avatar.svg' : `/files/${avatar_full}`)
  return { full, square_100x100: avatar_square === null ? full : urls.at(`/files/${avatar_square}`) }
}
