import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { toMailbox } from '../../http/schema/mailbox.ts'
import type { Language } from '../../locales/texts.ts'
import { ImportFailed } from '../reading/source-row.ts'
import { DocumentErrors } from './document-errors.ts'
import { type OrganizationDocument, OrganizationsFile } from './document-schema.ts'
import { readForwarding } from './forwarding-rows.ts'
import { readArea } from './organization-area.ts'
import { type RequestTypeInput, readRequestTypes } from './request-type-rows.ts'

export interface OrganizationFile {
  readonly organizations: readonly OrganizationInput[]
  readonly communityTypes: readonly RequestTypeInput[] | null
  /** Paths such as `organizations[].colour`. */
  readonly ignoredKeys: readonly string[]
}

const FILE_MAX_BYTES = 64 * 1024 * 1024

/** @throws ImportFailed if the file cannot be read, or with all its validation errors */
export async function readOrganizationFile(path: string): Promise<OrganizationFile> {
  return readOrganizationValue(parse(await readBytes(path), path), path)
}

/** @param name name of the file in error messages @throws ImportFailed with all validation errors */
export function readOrganizationValue(value: unknown, name: string): OrganizationFile {
  const errors = new DocumentErrors()
  const file = errors.validate(OrganizationsFile, value)
  const { organizations = [], community_request_types: community, language = 'en' } = file ?? {}
  const read = organizations.map((one, n) => readOrganization(one, `organizations[${n}]`, language, errors))
  errors.rejectDuplicates(
    read.map(({ path, name: name_ }) => ({ path: `${path}.name`, name: name_ })),
    'name',
  )
  const communityTypes = community && readRequestTypes(community, 'community_request_types', { language, hasOther: true }, errors)
  errors.throwIfInvalid(name)
  return { organizations: read, communityTypes: communityTypes ?? null, ignoredKeys: [...errors.ignored] }
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

export type OrganizationInput = ReturnType<typeof readOrganization>
export type MemberInput = NonNullable<OrganizationInput['members']>[number]

/** Null keeps an existing value. */
function readOrganization(input: OrganizationDocument, path: string, fileLanguage: Language, errors: DocumentErrors) {
  const { name, language = fileLanguage, translations, inbox_email, members, request_types } = input
  errors.refuseOwnLanguage(translations, language, path)
  if (inbox_email === true) errors.add(`${path}.inbox_email`, 'must be an e-mail address, or false for none')
  const mailboxes = members?.map(({ email, role }) => ({ email: toMailbox(email), role })) ?? null
  errors.rejectDuplicates(
    (mailboxes ?? []).map(({ email }, n) => ({ path: `${path}.members[${n}].email`, name: email })),
    'address',
  )
  const area = readArea(input.area, `${path}.area`, errors)
  const hasOther = input.takes_other === true
  const requestTypes = request_types && readRequestTypes(request_types, `${path}.request_types`, { language, hasOther }, errors)
  return {
    ...{ path, name, language, area, requestTypes, members: mailboxes, translations: translations ?? null },
    reviewsAll: input.hold_everything ?? null,
    guestReports: input.guest_reports ?? null,
    inboxEmail: inbox_email === undefined ? null : typeof inbox_email === 'string' ? toMailbox(inbox_email) : '',
    takesOther: input.takes_other ?? null,
    forwarding: readForwarding(input.forwarding, `${path}.forwarding`, errors),
  }
}
