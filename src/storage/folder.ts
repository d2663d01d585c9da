import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Shelf } from './file-store.ts'

/** Files in a folder of this machine, or of one that it mounts. */
export function folderAt(root: string): Shelf {
  const disk = new Disk(new FSDriver({ location: root, visibility: 'private' }))
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  }

  return {
    async put(key, path, contentType) {
      const contents = createReadStream(path)
      try {
        await disk.putStream(key, contents, { contentType })
      } finally {
        contents.destroy()
      }
      // The row that names it is flushed when it is committed: without this, one could outlive the other when the power fails.
      await flush(join(root, key))
      await flush(dirname(join(root, key)))
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
    remove: (key) => disk.delete(key),
    async listPage(prefix) {
      const { objects } = await disk.listAll(prefix, { recursive: false })
      const files = []
      for (const { key } of [...objects].filter((object) => object.isFile)) {
        // What another process removes meanwhile is no file any more.
        const found = await stat(join(root, key)).catch(missing)
        if (found) files.push({ key, modifiedAt: found.mtime })
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
