import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { StorageBackend } from './file-store.ts'

export function openFolder(root: string): StorageBackend {
  const undefinedIfMissing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  }

  return {
    async put(key, path) {
      const file = join(root, key)
      await mkdir(dirname(file), { recursive: true })
      await pipeline(createReadStream(path), createWriteStream(file))
      // The transaction that references the file is flushed at its commit, so the file must survive a power failure too.
      await flush(file)
      await flush(dirname(file))
    },
    async open(key, part) {
      // The file is opened before the response begins, so that a read error can still become a status.
      const file = await open(join(root, key)).catch(undefinedIfMissing)
      if (!file) return undefined
      const { size } = await file.stat().catch(async (error: unknown) => {
        await file.close()
        throw error
      })
      return { stream: file.createReadStream(part ?? {}), bytes: part ? part.end - part.start + 1 : size }
    },
    async size(key) {
      return (await stat(join(root, key)).catch(undefinedIfMissing))?.size
    },
    remove: (key) => rm(join(root, key), { force: true }),
    async listPage(prefix) {
      const entries = (await readdir(join(root, prefix), { withFileTypes: true }).catch(undefinedIfMissing)) ?? []
      const files = []
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const found = await stat(join(root, prefix, name)).catch(undefinedIfMissing)
        if (found) files.push({ key: `${prefix}${name}`, modifiedAt: found.mtime })
      }
      return { files, nextPage: undefined }
    },
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
