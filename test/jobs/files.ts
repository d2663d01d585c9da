import { join } from 'node:path'

import { createFileStore, openFolder } from '../../src/storage/open-file-store.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

/** Returns a store in a temporary folder, which is deleted after the test. */
export const createTemporaryFileStore = (): FileStore => createFileStore(openFolder(join(createTemporaryFolder(), 'files')))
