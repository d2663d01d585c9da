import type { Transaction } from '../database/database.ts'
import { newSecret } from '../http/identity/credentials.ts'
import { problems } from '../errors/problems.ts'
import { isBlankText } from '../http/schema/visible-text.ts'
import type { WatchedArea } from './area-input.ts'
import type { NewWatchArea } from './schema.ts'
import { addWatchArea, AREAS_MAX, changeWatchArea, removeWatchArea, renewToken, type WatchAreaChanges } from './write-queries.ts'

/** As the API and the forms of the pages give them. */
export type GivenSettings = { readonly [Name in 'name' | 'frequency' | 'about' | 'locale']?: NewWatchArea[Name] | undefined }

export interface Watching {
  readonly user_id: number
  readonly watched: WatchedArea
  readonly settings: GivenSettings
  /** The language that the client asks for; undefined takes the user's own. */
  readonly language: string | undefined
  readonly at: Date
}

/**
 * Watches an area from now on.
 * @returns its id
 * @throws Problem 422 `{base}` where the user has as many as they may, 401 where the account has gone away
 */
export async function watch(tx: Transaction, { user_id, watched, settings, language, at }: Watching): Promise<number> {
  const { name, frequency = 'instant', about = 'all', locale = language } = settings
  const added = await addWatchArea(tx, {
    ...{ user_id, watched, frequency, about, locale, at },
    name: nameOf(name ?? null),
    watcher_token: newSecret(),
  })
  if (added === 'gone') throw problems.loginNeeded()
  if (added === 'too many')
    throw problems.invalid({ base: `you watch ${AREAS_MAX} areas, which is the most: delete one that you no longer need` })
  return added
}

interface Own {
  readonly id: number
  readonly user_id: number
}

/** Changes what is given of an area of the user's own. @throws Problem 404 where they have none of that id */
export async function change(
  tx: Transaction,
  own: Own,
  { name, ...settings }: GivenSettings & Pick<WatchAreaChanges, 'watched'>,
  at: Date,
): Promise<void> {
  const changes = name === undefined ? settings : { ...settings, name: nameOf(name) }
  if (!(await changeWatchArea(tx, own, changes, at))) throw problems.notFound('The watch area')
}

/** Makes another token; the former one is unknown from the commit on. @throws Problem 404 as above */
export async function renew(tx: Transaction, own: Own, at: Date): Promise<void> {
  if (!(await renewToken(tx, own, newSecret(), at))) throw problems.notFound('The watch area')
}

/** Ends the watching, and with it the token. @throws Problem 404 as above */
export async function unwatch(tx: Transaction, own: Own): Promise<void> {
  if (!(await removeWatchArea(tx, own))) throw problems.notFound('The watch area')
}

/** In one line and without control characters; a name that nobody sees is none. */
const nameOf = (name: string | null) => (name === null || isBlankText(name) ? null : name.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim())
