import Type, { type Static } from 'typebox'

import { POSITIONS_MAX } from '../geo/polygon.ts'
import { capabilities, memberRoles } from '../http/identity/roles.ts'
import { listResponse, PageQuery } from '../http/lists/pagination.ts'
import { nullable, Id, stringEnum, Timestamp, urlLike, visibleText } from '../http/schema/fields.ts'
import { EmailAddress } from '../http/schema/mailbox.ts'
import { languages, text } from '../locales/texts.ts'
import type { Translations } from '../locales/translations.ts'
import { Forwarding } from './forwarding-settings.ts'

export const OrganizationParams = Type.Object({ id: { ...Id, description: 'The id of the organisation.' } })
export const ListOrganizationsQuery = Type.Object({ ...PageQuery.properties })

const listed = {
  id: Id,
  name: Type.String({ examples: ['Denver Public Works'] }),
  url: urlLike('/api/v2/organizations/3'),
  html_url: urlLike('/organizations/3'),
  statistics_url: urlLike('/api/v2/organizations/3/statistics'),
  bbox: Type.Array(Type.Number(), {
    minItems: 4,
    maxItems: 4,
    description: 'The box around its area: west, south, east, north in degrees (RFC 7946).',
    examples: [[-105.11, 39.61, -104.6, 39.91]],
  }),
  request_types: Type.Array(
    Type.Object({ id: Id, title: Type.String({ examples: ['Pothole'] }), url: urlLike('/api/v2/request_types/12') }),
    { description: 'Those in use, in their order.' },
  ),
}

export const ListedOrganization = Type.Object(listed, { title: 'ListedOrganization' })
export type ListedOrganization = Static<typeof ListedOrganization>

const yesOrNo = (description: string) => Type.Boolean({ description })

const NAME_MAX = 200
const Name = visibleText(NAME_MAX, { examples: ['Denver Public Works'] })
const translation = Type.Object({ name: Name }, { additionalProperties: false })
const translations = Type.Object(Object.fromEntries(languages.map((language) => [language, Type.Optional(translation)])), {
  additionalProperties: false,
})

const settings = {
  name: Name,
  translations: Type.Unsafe<Translations<{ readonly name: string }>>({
    ...translations,
    description: 'The name in further languages. All are replaced.',
    'x-allowed': text('name_translations', { languages: languages.join(', '), max: NAME_MAX }),
    examples: [{ es: { name: 'Obras Públicas de Denver' } }],
  }),
  hold_everything: yesOrNo('Every report and comment is reviewed before it is published.'),
  guest_reports: yesOrNo('Open311 reports are accepted without an account.'),
  shows_people: yesOrNo('The public log shows the names of its employees, not only its own.'),
  shows_targets: yesOrNo('The public page of an open issue says by when an answer is promised.'),
  inbox_email: nullable(Type.String({ format: 'mailbox', maxLength: 255 }), {
    description: 'A mail about each new report is sent to this address.',
    'x-allowed': text('email_address'),
    examples: ['works@example.org'],
  }),
}

export const OrganizationSettings = Type.Object(
  {
    language: stringEnum(languages),
    ...settings,
    inbox_email: nullable(Type.String(), { examples: ['works@example.org'] }),
    forwarding: Type.Optional(
      Type.Unsafe<Static<typeof Forwarding> | null>({
        anyOf: [Forwarding, { type: 'null' }],
        description: 'For members with the capability `manage_organization`.',
      }),
    ),
  },
  { title: 'OrganizationSettings' },
)
export type OrganizationSettings = Static<typeof OrganizationSettings>
const area = Type.Unsafe<object | string>({
  anyOf: [{ type: 'object' }, { type: 'string' }],
  description: `A GeoJSON Polygon or MultiPolygon (RFC 7946) of at most ${POSITIONS_MAX.toLocaleString('en')} positions, or its JSON as text. Only new issues follow it.`,
  'x-allowed': text('geojson_polygon'),
  examples: [{ type: 'Polygon', coordinates: [[[-105.1, 39.6], [-104.6, 39.6], [-104.6, 39.9], [-105.1, 39.6]]] }], // prettier-ignore
})
const forwarding = Type.Unsafe<unknown>({
  description:
    'Where issues are sent: the document of the organisation file (docs/forwarding.md), replaced as a whole; null removes it. Without `api_key` the stored key stays with its address.',
  examples: [{ endpoint: 'https://311.example.org/open311/v2', service_codes: { Pothole: '001' } }],
})
export const OrganizationChange = Type.Partial(Type.Object({ ...settings, area, forwarding }), { title: 'OrganizationChange' })
export type OrganizationInput = Static<typeof OrganizationChange>

export const Organization = Type.Object(
  {
    ...listed,
    area: Type.Unsafe<{ type: string; coordinates: unknown[] }>({
      type: 'object',
      description: 'GeoJSON MultiPolygon, longitude first (RFC 7946).',
      properties: { type: { type: 'string' }, coordinates: { type: 'array', items: {} } },
    }),
    settings: Type.Unsafe<Static<typeof OrganizationSettings> | null>({ anyOf: [OrganizationSettings, { type: 'null' }] }),
  },
  { title: 'Organization' },
)
export type Organization = Static<typeof Organization>

export const OrganizationList = listResponse('organizations', ListedOrganization)

export const Capabilities = Type.Object(
  {
    organization_id: Id,
    role: Type.Unsafe<(typeof memberRoles)[number] | null>({ type: ['string', 'null'], enum: [...memberRoles, null] }),
    capabilities: Type.Array(stringEnum(capabilities)),
  },
  { title: 'Capabilities' },
)

const Role = stringEnum(memberRoles)

export const MemberList = Type.Object(
  {
    members: Type.Array(Type.Object({ id: Id, name: Type.String({ examples: ['Ada Park'] }), role: Role, since: Timestamp })),
    invitations: Type.Array(
      Type.Object({ id: Id, email: Type.String({ examples: ['ben@example.org'] }), role: Role, invited_at: Timestamp }),
    ),
  },
  { title: 'MemberList' },
)
export type MemberList = Static<typeof MemberList>

export const MemberParams = Type.Object({
  ...OrganizationParams.properties,
  user_id: { ...Id, description: 'The id of the member.' },
})
export const OrganizationInvitationParams = Type.Object({
  ...OrganizationParams.properties,
  invitation_id: { ...Id, description: 'The id of the invitation.' },
})
export const InvitationParams = Type.Object({ id: { ...Id, description: 'The id of the invitation.' } })

export const RoleChange = Type.Object({ role: Role }, { title: 'RoleChange' })
export const NewInvitation = Type.Object({ email: EmailAddress, role: Role }, { title: 'NewInvitation' })

const InvitationFields = Type.Object(
  { id: Id, organization_id: Id, organization: Type.String({ examples: ['Denver Public Works'] }), role: Role },
  { title: 'Invitation' },
)
export type Invitation = Static<typeof InvitationFields>
export const InvitationList = Type.Object({ invitations: Type.Array(InvitationFields) }, { title: 'InvitationList' })
