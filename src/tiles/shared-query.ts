import { problems } from '../errors/problems.ts'
import { text } from '../errors/texts/text.ts'
import type { FilterQuery } from '../gis/query.ts'

/** Styles and TileJSON are shared, so a token in them would be too. @throws Problem 422 */
export function refuseWatcherToken(query: FilterQuery): void {
  if (query.watcher_token !== undefined) throw problems.invalid({ watcher_token: text('token_in_shared_document') })
}
