import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { Shelf } from './file-store.ts'

/** Files in a folder of this machine, or of one that it mounts. */
export function folderAt(root: string): Shelf {
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  }

  return {
    async put(key, path) {
      const file = join(root, key)
      await mkdir(dirname(file), { recursive: true })
      await pipeline(createReadStream(path), createWriteStream(file))
      // The row that names it is flushed when it is committed: without this, one could outlive the other when the power fails.
      await flush(file)
      await flush(dirname(file))
    },
    async open(key, part) {
      // Opened before anything is answered, so that a file that cannot be read is known by then.
      const file = await open(join(root, key)).catch(missing)
      if (!file) return undefined
      const { size } = await file.stat().catch(async (error: unknown) => {
        await file.close()
        throw error
      })
      return { stream: file.createReadStream(part ?? {}), bytes: part ? part.end - part.start + 1 : size }
    },
    async size(key) {
      return (await stat(join(root, key)).catch(missing))?.size
    },
    remove: (key) => rm(join(root, key), { force: true }),
    async listPage(prefix) {
      const entries = (await readdir(join(root, prefix), { withFileTypes: true }).catch(missing)) ?? []
      const files = []
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        // What another process removes meanwhile is no file any more.
        const found = await stat(join(root, prefix, name)).catch(missing)
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
