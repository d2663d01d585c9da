// This process stores the image at a path and is killed before it commits the row: `during` storing, with half of the file
// written, or `after` it. Its arguments are the path and the time.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { readConfig } from '../../../src/config.ts'
import { storeUploadedImage } from '../../../src/media/store-image.ts'
import { openFileStore } from '../../../src/storage/open-file-store.ts'

const [path = '', when] = process.argv.slice(2)
const { dataDir, s3Url } = readConfig(process.env, { requirePublicUrl: false })
const files = await openFileStore({ dataDir, s3Url })

const { full_key } = await storeUploadedImage(files, { path })
if (when === 'during') {
  const file = join(dataDir, 'files', full_key)
  const whole = readFileSync(file)
  writeFileSync(file, whole.subarray(0, whole.length / 2))
}
process.stdout.write(`stored ${full_key}\n`, () => process.kill(process.pid, 'SIGKILL'))
