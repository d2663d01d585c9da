import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'

import { type OrganizationInput, readOrganizations } from './organization-rows.ts'
import { type RequestTypeInput, readCommunityTypes } from './request-type-rows.ts'
import { DocumentReader } from './document-reader.ts'
import { ImportFailed } from '../reading/source-row.ts'
import { readLanguage } from './translation-rows.ts'

export interface OrganizationFile {
  readonly organizations: readonly OrganizationInput[]
  readonly communityTypes: readonly RequestTypeInput[] | null
  /** Paths such as `organizations[].colour`. */
  readonly ignoredKeys: readonly string[]
}

const FILE_MAX_BYTES = 64 * 1024 * 1024
const topKeys = ['language', 'organizations', 'community_request_types']

/** @throws ImportFailed if the file cannot be read, or with all its validation errors */
export async function readOrganizationFile(path: string): Promise<OrganizationFile> {
  return readOrganizationValue(parse(await readBytes(path), path), path)
}

/** @param name name of the file in error messages @throws ImportFailed with all validation errors */
export function readOrganizationValue(value: unknown, name: string): OrganizationFile {
  const reader = new DocumentReader()
  const top = reader.object(value, '', topKeys)
  const language = readLanguage(top?.['language'], 'language', reader) ?? 'en'
  const organizations = top ? readOrganizations(top['organizations'], language, reader) : []
  const communityTypes = top ? readCommunityTypes(top['community_request_types'], language, reader) : null
  reader.throwIfInvalid(name)
  return { organizations, communityTypes, ignoredKeys: reader.ignoredKeys() }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (size > FILE_MAX_BYTES) throw new ImportFailed(`The file ${path} is larger than ${FILE_MAX_BYTES / 1024 / 1024} MiB.`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof ImportFailed) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new ImportFailed(code === 'ENOENT' ? `File not found: ${path}` : `The file ${path} cannot be read: ${message}`)
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
