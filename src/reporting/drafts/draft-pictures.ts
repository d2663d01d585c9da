import { join } from 'node:path'

import { problems } from '../../errors/problems.ts'
import { Upload } from '../../http/request/upload.ts'
import type { FileStore } from '../../storage/file-store.ts'
import type { Draft } from './draft-queries.ts'

/**
 * Returns the answers of a draft with its pictures as uploads, which are written to `folder`.
 * @throws Problem 503 if the file store has lost a picture or is unavailable
 */
export async function answersWithPictures(
  { formValues, images }: Draft,
  { files, folder }: { readonly files: FileStore; readonly folder: string },
): Promise<Readonly<Record<string, unknown>>> {
  const uploads = new Map<string, Upload[]>()
  for (const [index, { primary_key, full_key, bytes }] of images.entries()) {
    const path = join(folder, `draft-${index}`)
    if (!(await files.download(full_key, path))) throw problems.unavailable()
    const upload = new Upload({ path, bytes, sha256: full_key, filename: '' })
    uploads.set(primary_key, [...(uploads.get(primary_key) ?? []), upload])
  }
  const pictures = [...uploads].map(([key, list]) => [key, list.length === 1 ? list[0] : list])
  return { ...(formValues['answers'] as object | undefined), ...(Object.fromEntries(pictures) as object) }
}
