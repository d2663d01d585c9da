import { openFileStore } from '../../src/storage/open-file-store.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import { temporaryFolder } from '../helpers/folders.ts'

/** A store in a folder of its own, gone after the test. */
export function givenFiles(): FileStore {
  return openFileStore({ dataDir: temporaryFolder(), s3Url: undefined })
}
