import { readMailbox } from '../../http/schema/mailbox.ts'
import { memberRoles, type MemberRole } from '../../organizations/queries.ts'
import type { Notes } from './notes.ts'
import { type AreaPart, readArea } from './organization-area.ts'
import { type RequestTypeInput, readRequestTypes } from './request-type-rows.ts'

export interface MemberInput {
  readonly path: string
  readonly email: string
  readonly role: MemberRole
}

export interface OrganizationInput {
  readonly path: string
  readonly name: string
  readonly area: readonly AreaPart[]
  /** Null, as below, where the file says nothing about it: then it stays as it is. */
  readonly holdEverything: boolean | null
  readonly members: readonly MemberInput[] | null
  readonly requestTypes: readonly RequestTypeInput[] | null
}

const organizationKeys = ['name', 'area', 'hold_everything', 'members', 'request_types']
const memberKeys = ['email', 'role']
const ORGANIZATIONS_MAX = 2_000
const MEMBERS_MAX = 2_000
const NAME_MAX = 200
const EMAIL_MAX = 255

export function readOrganizations(value: unknown, notes: Notes): OrganizationInput[] {
  const list = notes.list(value, 'organizations', ORGANIZATIONS_MAX)
  if (list === null) notes.fault('organizations', 'is missing: it must be a list')
  const read = (list ?? []).flatMap((one, n) => readOrganization(one, `organizations[${n}]`, notes) ?? [])
  const named = read.map(({ path, name }) => ({ path: `${path}.name`, name }))
  notes.repeated(named, 'name')
  return read
}

function readOrganization(value: unknown, path: string, notes: Notes): OrganizationInput | undefined {
  const input = notes.object(value, path, organizationKeys)
  if (!input) return undefined
  const { name, holdEverything } = notes.fields(input, path, (fields) => {
    fields.require('name')
    return { name: fields.text('name', NAME_MAX), holdEverything: fields.boolean('hold_everything') }
  })
  return {
    path,
    name: name?.trim() ?? '',
    area: readArea(input['area'], `${path}.area`, notes),
    holdEverything,
    members: readMembers(input['members'], `${path}.members`, notes),
    requestTypes: readRequestTypes(input['request_types'], `${path}.request_types`, notes),
  }
}

function readMembers(value: unknown, path: string, notes: Notes): MemberInput[] | null {
  const list = notes.list(value, path, MEMBERS_MAX)
  if (list === null) return null
  const read = list.flatMap((one, n) => readMember(one, `${path}[${n}]`, notes) ?? [])
  const addresses = read.map((member) => ({ path: `${member.path}.email`, name: member.email }))
  notes.repeated(addresses, 'address')
  return read
}

function readMember(value: unknown, path: string, notes: Notes): MemberInput | undefined {
  const input = notes.object(value, path, memberKeys)
  if (!input) return undefined
  const { email, role } = notes.fields(input, path, (fields) => {
    fields.require('email')
    return { email: fields.text('email', EMAIL_MAX), role: fields.oneOf('role', memberRoles) }
  })
  if (email === null) return undefined
  const mailbox = readMailbox(email)
  if (mailbox === undefined) notes.fault(`${path}.email`, 'must be an e-mail address')
  return { path, email: mailbox ?? email, role: role ?? 'employee' }
}
