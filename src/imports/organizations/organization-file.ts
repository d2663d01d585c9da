import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { type RequestTypeInput, readCommunityTypes, readRequestTypes } from './request-type-rows.ts'
import { DocumentReader, readLanguage, readTranslatedText } from './document-reader.ts'
import { ImportFailed } from '../reading/source-row.ts'
import { readMailbox } from '../../http/schema/fields.ts'
import { memberRoles } from '../../http/identity/roles.ts'
import type { Language } from '../../locales/texts.ts'
import { readArea } from './organization-area.ts'
import { readForwarding } from './forwarding-rows.ts'

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

export type MemberInput = NonNullable<ReturnType<typeof readMember>>
/** Null keeps an existing value. */
export type OrganizationInput = NonNullable<ReturnType<typeof readOrganization>>

const organizationKeys = [
  ...['name', 'language', 'translations', 'area', 'hold_everything', 'guest_reports', 'inbox_email', 'takes_other'],
  ...['members', 'request_types', 'forwarding'],
]
const memberKeys = ['email', 'role']
const ORGANIZATIONS_MAX = 2_000
const MEMBERS_MAX = 2_000
const NAME_MAX = 200
const EMAIL_MAX = 255

/** @param language the language of the file */
function readOrganizations(value: unknown, language: Language, reader: DocumentReader): OrganizationInput[] {
  const list = reader.list(value, 'organizations', ORGANIZATIONS_MAX)
  if (list === null) reader.addError('organizations', 'is missing: it must be a list')
  const read = (list ?? []).flatMap((entry, n) => readOrganization(entry, `organizations[${n}]`, language, reader) ?? [])
  const named = read.map(({ path, name }) => ({ path: `${path}.name`, name }))
  reader.rejectDuplicates(named, 'name')
  return read
}

function readOrganization(value: unknown, path: string, fileLanguage: Language, reader: DocumentReader) {
  const input = reader.object(value, path, organizationKeys)
  if (!input) return undefined
  const { name, reviewsAll, guestReports, takesOther } = reader.fields(input, path, (fields) => {
    fields.require('name')
    return {
      name: fields.text('name', NAME_MAX),
      reviewsAll: fields.boolean('hold_everything'),
      guestReports: fields.boolean('guest_reports'),
      takesOther: fields.boolean('takes_other'),
    }
  })
  const own = readLanguage(input['language'], `${path}.language`, reader) ?? fileLanguage
  return {
    path,
    name: name?.trim() ?? '',
    language: own,
    translations: readTranslatedText(input['translations'], `${path}.translations`, { own, key: 'name', max: NAME_MAX, reader }),
    area: readArea(input['area'], `${path}.area`, reader),
    reviewsAll,
    guestReports,
    inboxEmail: readInbox(input['inbox_email'], `${path}.inbox_email`, reader),
    /** True to receive reports of an unnamed kind. */
    takesOther,
    members: readMembers(input['members'], `${path}.members`, reader),
    requestTypes: readRequestTypes(
      input['request_types'],
      `${path}.request_types`,
      { language: own, hasOther: takesOther === true },
      reader,
    ),
    forwarding: readForwarding(input['forwarding'], `${path}.forwarding`, reader),
  }
}

/** `false` removes the address: then the text is empty. */
function readInbox(value: unknown, path: string, reader: DocumentReader): string | null {
  if (value === undefined) return null
  if (value === false) return ''
  const mailbox = typeof value === 'string' && value.length <= EMAIL_MAX ? readMailbox(value) : undefined
  if (mailbox === undefined) reader.addError(path, 'must be an e-mail address, or false for none')
  return mailbox ?? null
}

function readMembers(value: unknown, path: string, reader: DocumentReader): MemberInput[] | null {
  const list = reader.list(value, path, MEMBERS_MAX)
  if (list === null) return null
  const read = list.flatMap((entry, n) => readMember(entry, `${path}[${n}]`, reader) ?? [])
  const emails = read.map((member) => ({ path: `${member.path}.email`, name: member.email }))
  reader.rejectDuplicates(emails, 'address')
  return read
}

function readMember(value: unknown, path: string, reader: DocumentReader) {
  const input = reader.object(value, path, memberKeys)
  if (!input) return undefined
  const { email, role } = reader.fields(input, path, (fields) => {
    fields.require('email')
    return { email: fields.text('email', EMAIL_MAX), role: fields.oneOf('role', memberRoles) }
  })
  if (email === null) return undefined
  const mailbox = readMailbox(email)
  if (mailbox === undefined) reader.addError(`${path}.email`, 'must be an e-mail address')
  return { path, email: mailbox ?? email, role: role ?? ('employee' as const) }
}
