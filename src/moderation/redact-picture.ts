import { join } from 'node:path'

import type { Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type Box, paintBoxes } from '../images/paint-boxes.ts'
import { storeAllSizes } from '../media/store-image.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Services } from '../services.ts'
import { type Picture, replacePictureFiles } from './redaction-queries.ts'

export interface Redaction {
  readonly picture: Picture
  readonly boxes: readonly Box[]
  readonly moderator_id: number
  readonly request_id: string
  /** A folder of the request, which is deleted after it. */
  readonly folder: string
  /** The transaction for all rows: `db.transaction`, or the one that stores the response under an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<RedactionResult>) => Promise<RedactionResult>
}

export type RedactionResult = { readonly issue_id: number }

/**
 * Paints the boxes over the picture and gives it new addresses. New files first, then the row, then the old files go: after a crash the picture is
 * unchanged or redacted, and files without a row are 404 and are deleted by `delete-orphaned-files`.
 * @throws Problem 404 if the picture was redacted or deleted meanwhile; 503 if the store is unavailable
 */
export async function redactPicture(
  { files, clock, log }: Pick<Services, 'files' | 'clock' | 'log'>,
  { picture, boxes, moderator_id, request_id, folder, inTransaction }: Redaction,
): Promise<RedactionResult> {
  const [from, path] = [join(folder, 'full'), join(folder, 'redacted')]
  if (!(await files.download(picture.full_key, from))) throw problems.notFound('the_picture')
  const stored = await storeAllSizes(files, { path, image: await paintBoxes(from, path, boxes) })

  let oldKeys: readonly string[] = []
  const result = await inTransaction(async (tx) => {
    const replaced = await replacePictureFiles(tx, picture, stored, clock())
    if (!replaced) throw problems.notFound('the_picture')
    oldKeys = replaced
    await recordEvent(tx, { type: 'image.redacted', subject_id: picture.id, actor_id: moderator_id, request_id })
    return { issue_id: picture.issue_id }
  })
  for (const key of oldKeys)
    await files.remove(key).catch((error: unknown) => log.warn({ err: error }, 'could not delete a redacted picture yet'))
  return result
}
