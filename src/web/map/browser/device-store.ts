/* Pictures and text of a report wait on the device until they are sent, for a day at most. */

const DATABASE = 'report'
const VERSION = 2
const STORES = ['photos', 'drafts'] as const
const KEY = 'chosen'
const HOURS_MAX = 24

type StoreName = (typeof STORES)[number]

interface Stored<Value> {
  readonly value: Value
  readonly savedAt: number
}

/** Returns the value of a store. One that is older than a day is deleted. */
export async function loadValue<Value>(name: StoreName): Promise<Value | undefined> {
  const stored = await run<Stored<Value> | undefined>(name, 'readonly', (store) => store.get(KEY)).catch(() => undefined)
  if (!stored) return undefined
  if (Date.now() - stored.savedAt < HOURS_MAX * 3_600_000) return stored.value
  await saveValue(name, undefined)
  return undefined
}

/** Deletes the value if it is undefined. Returns false if the browser stores nothing, as in some private windows. */
export async function saveValue<Value>(name: StoreName, value: Value | undefined): Promise<boolean> {
  try {
    await run(name, 'readwrite', (store) =>
      value === undefined ? store.delete(KEY) : store.put({ value, savedAt: Date.now() } satisfies Stored<Value>, KEY),
    )
    return true
  } catch {
    return false
  }
}

export async function deleteExpiredValues(): Promise<void> {
  for (const name of STORES) await loadValue(name)
}

let last: Promise<unknown> = Promise.resolve()

/** Runs one request after the other, so that a late one does not undo a later one. */
function run<Result>(name: StoreName, mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<Result> {
  const result = last.then(() => runNow<Result>(name, mode, work))
  last = result.catch(() => undefined)
  return result
}

async function runNow<Result>(name: StoreName, mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest) {
  const opening = indexedDB.open(DATABASE, VERSION)
  opening.addEventListener('upgradeneeded', () => {
    for (const store of STORES) if (!opening.result.objectStoreNames.contains(store)) opening.result.createObjectStore(store)
  })
  const database = await toPromise<IDBDatabase>(opening)
  try {
    return await toPromise<Result>(work(database.transaction(name, mode).objectStore(name)))
  } finally {
    database.close()
  }
}

const toPromise = <Result>(request: IDBRequest) =>
  new Promise<Result>((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result as Result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')))
  })
