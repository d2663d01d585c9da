import { openFileStore } from '../../src/storage/open-file-store.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

/** Returns a store in a temporary folder, which is deleted after the test. */
export function createFileStore(): FileStore {
  return openFileStore({ dataDir: createTemporaryFolder(), s3Url: undefined })
}
