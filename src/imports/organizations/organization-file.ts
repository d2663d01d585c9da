import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'

import { type OrganizationInput, readOrganizations } from './organization-rows.ts'
import { type RequestTypeInput, readCommunityTypes } from './request-type-rows.ts'
import { Notes } from './notes.ts'
import { ImportFailed } from '../reading/source-row.ts'

/** The content of an organisations file, before it is compared with the database. */
export interface OrganizationFile {
  readonly organizations: readonly OrganizationInput[]
  /** Null if the file says nothing about them. */
  readonly communityTypes: readonly RequestTypeInput[] | null
  /** Names of keys that nothing is known of, each once, such as `organizations[].colour`. */
  readonly ignoredKeys: readonly string[]
}

/** A country's organisations with their boundaries are some megabytes. */
const FILE_MAX_BYTES = 64 * 1024 * 1024
const topKeys = ['organizations', 'community_request_types']

/**
 * Reads a file of organisations as a whole.
 * @throws ImportFailed when it cannot be read, or naming every fault by its path.
 */
export async function readOrganizationFile(path: string): Promise<OrganizationFile> {
  return readOrganizationValue(parse(await readBytes(path), path), path)
}

/**
 * The same of what is in memory already; `name` is what a fault calls it.
 * @throws ImportFailed
 */
export function readOrganizationValue(value: unknown, name: string): OrganizationFile {
  const notes = new Notes()
  const top = notes.object(value, '', topKeys)
  const organizations = top ? readOrganizations(top['organizations'], notes) : []
  const communityTypes = top ? readCommunityTypes(top['community_request_types'], notes) : null
  notes.refuse(name)
  return { organizations, communityTypes, ignoredKeys: notes.ignoredKeys() }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (size > FILE_MAX_BYTES) throw new ImportFailed(`The file ${path} is larger than ${FILE_MAX_BYTES / 1024 / 1024} MiB.`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof ImportFailed) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new ImportFailed(code === 'ENOENT' ? `There is no file ${path}.` : `The file ${path} cannot be read: ${message}`)
  }
}

function parse(bytes: Buffer, path: string): unknown {
  if (!isUtf8(bytes)) throw new ImportFailed(`The file ${path} is not UTF-8.`)
  try {
    return JSON.parse(bytes.toString().replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new ImportFailed(`The file ${path} is not JSON: ${(error as Error).message}.`)
  }
}
