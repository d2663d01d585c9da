import type { Transaction } from '../database/database.ts'
import { newSecret } from '../http/identity/credentials.ts'
import { problems } from '../errors/problems.ts'
import { isBlankText } from '../http/schema/visible-text.ts'
import type { WatchedArea } from './area-input.ts'
import type { NewWatchArea } from './schema.ts'
import { addWatchArea, AREAS_MAX, changeWatchArea, removeWatchArea, renewToken, type WatchAreaChanges } from './write-queries.ts'
import { text } from '../errors/texts/text.ts'

export type GivenSettings = { readonly [Name in 'name' | 'frequency' | 'about' | 'locale']?: NewWatchArea[Name] | undefined }

export interface Watching {
  readonly user_id: number
  readonly watched: WatchedArea
  readonly settings: GivenSettings
  readonly language: string | undefined
  readonly at: Date
}

/**
 * Adds a watch area and returns its id.
 * @throws Problem 422 `{base}` if the user has reached the maximum, 401 if the account was deleted
 */
export async function watch(tx: Transaction, { user_id, watched, settings, language, at }: Watching): Promise<number> {
  const { name, frequency = 'instant', about = 'all', locale = language } = settings
  const added = await addWatchArea(tx, {
    ...{ user_id, watched, frequency, about, locale, at },
    name: nameOf(name ?? null),
    watcher_token: newSecret(),
  })
  if (added === 'gone') throw problems.loginNeeded()
  if (added === 'too many') throw problems.invalid({ base: text('too_many_watch_areas', { max: AREAS_MAX }) })
  return added
}

interface Own {
  readonly id: number
  readonly user_id: number
}

/** Changes the given settings of an area of the user. @throws Problem 404 if the user has no such area */
export async function change(
  tx: Transaction,
  own: Own,
  { name, ...settings }: GivenSettings & Pick<WatchAreaChanges, 'watched'>,
  at: Date,
): Promise<void> {
  const changes = name === undefined ? settings : { ...settings, name: nameOf(name) }
  if (!(await changeWatchArea(tx, own, changes, at))) throw problems.notFound('the_watch_area')
}

/** Replaces the token; the previous one is invalid after the commit. @throws Problem 404 if the user has no such area */
export async function renew(tx: Transaction, own: Own, at: Date): Promise<void> {
  if (!(await renewToken(tx, own, newSecret(), at))) throw problems.notFound('the_watch_area')
}

/** Deletes the area and its token. @throws Problem 404 if the user has no such area */
export async function unwatch(tx: Transaction, own: Own): Promise<void> {
  if (!(await removeWatchArea(tx, own))) throw problems.notFound('the_watch_area')
}

const nameOf = (name: string | null) => (name === null || isBlankText(name) ? null : name.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim())
