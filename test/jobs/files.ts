import { openFileStore } from '../../src/storage/open-file-store.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

/** A store in a folder of its own, gone after the test. */
export function givenFiles(): FileStore {
  return openFileStore({ dataDir: createTemporaryFolder(), s3Url: undefined })
}
