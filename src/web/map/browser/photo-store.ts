/* Pictures that were chosen at the start of a report wait on the device for its form. */

const DATABASE = 'report'
const STORE = 'photos'
const KEY = 'chosen'
const HOURS_MAX = 24

interface StoredPhotos {
  readonly files: readonly File[]
  readonly savedAt: number
}

/** Returns the pictures; none if they are older than a day. */
export async function loadPhotos(): Promise<readonly File[]> {
  const stored = await run<StoredPhotos | undefined>('readonly', (store) => store.get(KEY)).catch(() => undefined)
  if (!stored) return []
  if (Date.now() - stored.savedAt < HOURS_MAX * 3_600_000) return stored.files
  await savePhotos([])
  return []
}

/** Returns false if the browser stores nothing, as in some private windows. */
export async function savePhotos(files: readonly File[]): Promise<boolean> {
  try {
    await run('readwrite', (store) =>
      files.length === 0 ? store.delete(KEY) : store.put({ files, savedAt: Date.now() } satisfies StoredPhotos, KEY),
    )
    return true
  } catch {
    return false
  }
}

async function run<Result>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<Result> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(STORE))
  const database = await toPromise<IDBDatabase>(opening)
  try {
    return await toPromise<Result>(work(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

const toPromise = <Result>(request: IDBRequest) =>
  new Promise<Result>((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result as Result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')))
  })
