/* Pictures and texts of reports, and the text of a comment, wait on the device until they are sent, for a day at most. */

const DATABASE = 'report'
const VERSION = 6
export const REPORT_STORES = ['photos', 'drafts', 'files'] as const
const STORES = [...REPORT_STORES, 'outbox', 'comments'] as const
/** The key of a value that belongs to no report yet. */
export const NO_REPORT = 'chosen'
const HOURS_MAX = 24

type StoreName = (typeof STORES)[number]

interface Stored<Value> {
  readonly key: string
  readonly value: Value
  readonly savedAt: number
}

/** Returns the value of a key. One that is older than a day is deleted. */
export const loadValue = async <Value>(name: StoreName, key = NO_REPORT): Promise<Value | undefined> =>
  (await loadValues<Value>(name)).get(key)

/** Returns the values of a store by their keys, the newest first. Those that are older than a day are deleted. */
export async function loadValues<Value>(name: StoreName): Promise<ReadonlyMap<string, Value>> {
  const stored = await run<readonly Stored<Value>[]>(name, 'readonly', (store) => store.getAll()).catch(() => [])
  const isOld = ({ savedAt }: Stored<Value>) => Date.now() - savedAt >= HOURS_MAX * 3_600_000
  for (const { key } of stored.filter(isOld)) await saveValue(name, undefined, key)
  const newest = stored.filter((one) => !isOld(one)).toSorted((one, other) => other.savedAt - one.savedAt)
  return new Map(newest.map(({ key, value }) => [key, value]))
}

/** Returns the key of the report that this page belongs to: the point at which its draft was written; NO_REPORT without one. */
export function findDraftKey(): string {
  const { searchParams } = new URL(location.href)
  const [lat, lng] = [searchParams.get('lat'), searchParams.get('lng')]
  return searchParams.get('from') ?? (lat && lng ? `${Number(lat)}/${Number(lng)}` : NO_REPORT)
}

/** Deletes the value if it is undefined. Returns false if the browser stores nothing, as in some private windows. */
export async function saveValue<Value>(name: StoreName, value: Value | undefined, key = NO_REPORT): Promise<boolean> {
  try {
    await run(name, 'readwrite', (store) =>
      value === undefined ? store.delete(key) : store.put({ key, value, savedAt: Date.now() } satisfies Stored<Value>, key),
    )
    return true
  } catch {
    return false
  }
}

export async function discardDraft(key: string): Promise<void> {
  for (const name of [...REPORT_STORES, 'outbox'] as const) await saveValue(name, undefined, key)
}

export async function deleteExpiredValues(): Promise<void> {
  for (const name of STORES) await loadValues(name)
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
