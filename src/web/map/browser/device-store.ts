/* Pictures and text of a report, and the text of a comment, wait on the device until they are sent, for a day at most. */

const DATABASE = 'report'
const VERSION = 4
const STORES = ['photos', 'drafts', 'files', 'comments'] as const
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

/** It stays open, so that a request is made at once, even while the page is being left. */
let connection: Promise<IDBDatabase> | undefined
const forgetConnection = () => {
  connection = undefined
}

/** The database runs the requests of a store in their order, so that a late one does not undo a later one. */
async function run<Result>(name: StoreName, mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest) {
  connection ??= connect()
  const transaction = (await connection).transaction(name, mode)
  const result = toPromise<Result>(work(transaction.objectStore(name)))
  // A transaction that is not committed ends with the page.
  transaction.commit()
  return result
}

async function connect(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, VERSION)
  opening.addEventListener('error', forgetConnection)
  opening.addEventListener('upgradeneeded', () => {
    for (const store of STORES) if (!opening.result.objectStoreNames.contains(store)) opening.result.createObjectStore(store)
  })
  const database = await toPromise<IDBDatabase>(opening)
  // A logout in another tab closes it, too.
  database.addEventListener('close', forgetConnection)
  database.addEventListener('versionchange', () => {
    forgetConnection()
    database.close()
  })
  return database
}

const toPromise = <Result>(request: IDBRequest) =>
  new Promise<Result>((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result as Result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')))
  })
