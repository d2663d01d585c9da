import { join } from 'node:path'

import { problems } from '../../errors/problems.ts'
import { Upload } from '../../http/request/upload.ts'
import type { FileStore } from '../../storage/file-store.ts'
import type { Draft } from './draft-queries.ts'

/**
 * Returns the answers of a draft with its pictures as uploads, which are written to `folder`. Uploads of the form follow them.
 * @throws Problem 503 if the file store has lost a picture or is unavailable
 */
export async function answersWithPictures(
  { formValues, images }: Draft,
  { files, folder }: { readonly files: FileStore; readonly folder: string },
): Promise<Readonly<Record<string, unknown>>> {
  const answers = { ...(formValues['answers'] as Readonly<Record<string, unknown>> | undefined) }
  const stored = new Map<string, Upload[]>()
  for (const [index, { primary_key, full_key, bytes }] of images.entries()) {
    const path = join(folder, `draft-${index}`)
    if (!(await files.download(full_key, path))) throw problems.unavailable()
    const upload = new Upload({ path, bytes, sha256: full_key, filename: '', client: undefined })
    stored.set(primary_key, [...(stored.get(primary_key) ?? []), upload])
  }
  const pictures = [...stored].map(([key, list]) => {
    const all = [...list, ...[answers[key]].flat().filter((answer) => answer instanceof Upload)]
    return [key, all.length === 1 ? all[0] : all]
  })
  return { ...answers, ...(Object.fromEntries(pictures) as object) }
}
