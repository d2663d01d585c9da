import { text } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { newSecret } from '../http/identity/credentials.ts'
import { problems } from '../errors/problems.ts'
import { isBlankText } from '../http/schema/fields.ts'
import type { WatchedArea } from './area-input.ts'
import type { NewWatchArea } from './schema.ts'
import { addWatchArea, AREAS_MAX, changeWatchArea, removeWatchArea, renewToken, type WatchAreaChanges } from './write-queries.ts'

export type WatchAreaSettings = { readonly [Name in 'name' | 'frequency' | 'about' | 'locale']?: NewWatchArea[Name] | undefined }

export interface WatchAreaCreation {
  readonly user_id: number
  readonly watched: WatchedArea
  readonly settings: WatchAreaSettings
  readonly language: string | undefined
  readonly at: Date
}

/** Returns the id. @throws Problem 422 `{base}` if the user has reached the maximum, 401 if the account was deleted */
export async function createWatchArea(
  tx: Transaction,
  { user_id, watched, settings, language, at }: WatchAreaCreation,
): Promise<number> {
  const { name, frequency = 'instant', about = 'all', locale = language } = settings
  const added = await addWatchArea(tx, {
    ...{ user_id, watched, frequency, about, locale, at },
    name: normalizeName(name ?? null),
    watcher_token: newSecret(),
  })
  if (added === 'account deleted') throw problems.loginNeeded()
  if (added === 'too many') throw problems.invalid({ base: text('too_many_watch_areas', { max: AREAS_MAX }) })
  return added
}

interface OwnedArea {
  readonly id: number
  readonly user_id: number
}

/** @throws Problem 404 if the user has no such area */
export async function updateWatchArea(
  tx: Transaction,
  area: OwnedArea,
  { name, ...settings }: WatchAreaSettings & Pick<WatchAreaChanges, 'watched'>,
  at: Date,
): Promise<void> {
  const changes = name === undefined ? settings : { ...settings, name: normalizeName(name) }
  if (!(await changeWatchArea(tx, area, changes, at))) throw problems.notFound('the_watch_area')
}

/** Replaces the token. @throws Problem 404 if the user has no such area */
export async function renewWatcherToken(tx: Transaction, area: OwnedArea, at: Date): Promise<void> {
  if (!(await renewToken(tx, area, newSecret(), at))) throw problems.notFound('the_watch_area')
}

/** @throws Problem 404 if the user has no such area */
export async function deleteWatchArea(tx: Transaction, area: OwnedArea): Promise<void> {
  if (!(await removeWatchArea(tx, area))) throw problems.notFound('the_watch_area')
}

const normalizeName = (name: string | null) =>
  name === null || isBlankText(name) ? null : name.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
