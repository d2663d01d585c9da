import { PGlite } from '@electric-sql/pglite'
import { existsSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files that initdb creates and the engine requires. */
const FILES = ['PG_VERSION', 'global/pg_control', 'global/pg_filenode.map', 'postgresql.conf']
/** Copies that omit empty folders lack some of these. */
const FOLDERS = [
  ...['base', 'global', 'pg_commit_ts', 'pg_dynshmem', 'pg_logical', 'pg_logical/mappings', 'pg_logical/snapshots', 'pg_multixact'],
  ...['pg_multixact/members', 'pg_multixact/offsets', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat'],
  ...['pg_stat_tmp', 'pg_subtrans', 'pg_tblspc', 'pg_twophase', 'pg_wal', 'pg_xact'],
]
/** Segments change, but there is always one; its name is hexadecimal. */
const SEGMENT_FOLDERS = ['pg_multixact/members', 'pg_multixact/offsets', 'pg_wal', 'pg_xact']

export const isEmptyFolder = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/** Images are in subfolders (`newFileKey`), and an empty subfolder may remain. */
export const containsImages = (folder: string): boolean =>
  listNames(folder).some((name) => listNames(join(folder, name)).length > 0)

/**
 * Creates the cluster next to the folder and renames it, so that an interrupted first start leaves nothing. The engine creates a
 * cluster if PG_VERSION is missing and would overwrite one.
 */
export async function createCluster(folder: string): Promise<void> {
  const target = existsSync(folder) ? realpathSync(folder) : folder
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const pglite = await PGlite.create({ dataDir: unfinished })
  await pglite.close()
  if (existsSync(target)) rmdirSync(target)
  renameSync(unfinished, target)
}

/** Judges by the names and sizes of files. */
export function findMissingClusterPaths(folder: string): string[] {
  const databases = listNames(join(folder, 'base'))
    .filter((name) => /^\d+$/.test(name))
    .flatMap((oid) => [`base/${oid}/PG_VERSION`, `base/${oid}/pg_filenode.map`])
  const hasSegment = (path: string) => listNames(join(folder, path)).some((name) => /^[0-9A-F]+$/.test(name))
  return [
    ...[...FILES, ...databases].filter((path) => !isNonEmptyFile(join(folder, path))),
    ...FOLDERS.filter((path) => !isFolder(join(folder, path))),
    ...SEGMENT_FOLDERS.filter((path) => !hasSegment(path)).map((path) => `${path}/0…`),
  ]
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const listNames = (path: string) => (isFolder(path) ? readdirSync(path) : [])

function isNonEmptyFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isFile() && found.size > 0
}
