import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Urls } from '../http/request/urls.ts'

/** A picture of a draft by its number from 1, or the map of its place. */
export type DraftPicture = number | 'map'

/** Returns a URL that mail programs can load: the signature of 96 bits gives access to this picture, not to the draft. */
export const draftPictureUrl = (urls: Urls, key: string, draftId: number, picture: DraftPicture): string =>
  urls.at(`/report/drafts/${draftId}/${picture}?signature=${sign(key, draftId, picture)}`)

export function isDraftPictureSigned(key: string, draftId: number, picture: DraftPicture, signature: string): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(key, draftId, picture))]
  return given.length === right.length && timingSafeEqual(given, right)
}

const sign = (key: string, draftId: number, picture: DraftPicture) =>
  createHmac('sha256', key).update(`draft picture ${draftId} ${picture}`).digest('base64url').slice(0, 16)
