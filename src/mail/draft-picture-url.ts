import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Urls } from '../http/request/urls.ts'

/** A picture of a draft by its number from 1, or the map of its place. */
export type DraftPicture = number | 'map'

interface MailedTo {
  readonly id: number
  /** The address to which the draft was mailed; null once the draft is published. */
  readonly email: string | null
}

/**
 * Returns a URL that mail programs can load: the signature gives access to this picture, not to the draft, until the draft is mailed to another address.
 * Its first 96 bits are also valid after the publication, when the address of the draft is no longer known.
 */
export const draftPictureUrl = (urls: Urls, key: string, draft: MailedTo, picture: DraftPicture): string =>
  urls.at(`/report/drafts/${draft.id}/${picture}?signature=${sign(key, draft, picture)}`)

export function isDraftPictureSigned(key: string, draft: MailedTo, picture: DraftPicture, signature: string): boolean {
  const right = Buffer.from(sign(key, draft, picture))
  const given = Buffer.from(draft.email === null ? signature.slice(0, right.length) : signature)
  return given.length === right.length && timingSafeEqual(given, right)
}

function sign(key: string, { id, email }: MailedTo, picture: DraftPicture): string {
  const part = (words: string) =>
    createHmac('sha256', key).update(`draft picture ${id} ${picture}${words}`).digest('base64url').slice(0, 16)
  return `${part('')}${email === null ? '' : part(` ${email.toLowerCase()}`)}`
}
