import Type, { type Static, type TSchema } from 'typebox'

import { PageQuery, listResponse } from '../../http/lists/pagination.ts'
import { Id, nullable, NullableTimestamp, stringEnum, Timestamp, urlLike, visibleText } from '../../http/schema/fields.ts'
import { IssueStatus } from '../../issue-lifecycle/status.ts'

export const TRANSFER_TEXT_MAX = 2_000

/** The sender withdraws an offer. It ends by itself if the issue is closed, archived or hidden, or gets another type. */
export const transferStates = ['offered', 'accepted', 'refused', 'withdrawn', 'ended'] as const

const Named = { id: Id, name: Type.String({ examples: ['Denver Public Works'] }) }
const TransferOrganization = Type.Object(Named, { title: 'TransferOrganization' })
const TransferPerson = Type.Object({ ...Named, name: Type.String({ examples: ['Ada Park'] }) }, { title: 'TransferPerson' })
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] })

export const Transfer = Type.Object(
  {
    id: Id,
    issue: Type.Object({
      id: Id,
      summary: Type.String({ examples: ['Pothole on Colfax Avenue'] }),
      status: IssueStatus,
      version: Type.Integer({ description: 'Send it as `If-Match: "<version>"` with the answer.', examples: [4] }),
      url: urlLike('/api/v2/issues/4711'),
      html_url: urlLike('/issues/4711'),
    }),
    from: orNull(TransferOrganization),
    to: TransferOrganization,
    reason: nullable(Type.String({ examples: ['The pothole is on a private road.'] })),
    request_type_id: nullable(Id, {
      description: 'The type of the receiver that the sender proposes; after the acceptance, the one that the issue got.',
    }),
    offered_by: orNull(TransferPerson),
    offered_at: Timestamp,
    state: stringEnum(transferStates),
    answered_by: orNull(TransferPerson),
    answered_at: NullableTimestamp,
    refusal: nullable(Type.String({ examples: ['The road belongs to the county.'] })),
  },
  { title: 'Transfer' },
)
export type Transfer = Static<typeof Transfer>
export const NullableTransfer = orNull(Transfer)

export const TransferList = listResponse('transfers', Transfer)
export const ListTransfersQuery = Type.Object({ ...PageQuery.properties })
export const TransferParams = Type.Object({ id: { ...Id, description: 'The id of the transfer.' } })

export const TransferText = visibleText(TRANSFER_TEXT_MAX, {
  examples: ['The pothole is on a private road.'],
})

export const NewTransfer = Type.Object(
  {
    organization_id: { ...Id, description: 'The organisation that is to get the issue.' },
    request_type_id: Type.Optional({ ...Id, description: 'One of its types, as a proposal.' }),
    reason: TransferText,
  },
  { title: 'NewTransfer' },
)

export const Acceptance = Type.Object(
  { request_type_id: { ...Id, description: 'One of the types of the receiving organisation.' } },
  { title: 'Acceptance' },
)

export const Refusal = Type.Object({ refusal: TransferText }, { title: 'Refusal' })
