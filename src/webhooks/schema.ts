import Type, { type Static } from 'typebox'

import { listResponse, PageQuery } from '../http/lists/pagination.ts'
import { Id, nullable, NullableTimestamp, stringEnum, Timestamp } from '../http/schema/fields.ts'
import { ChangesFilter, changeKinds } from '../issues/changes/schema.ts'
import { text } from '../locales/texts.ts'

export const WEBHOOKS_MAX = 20
export const URL_MAX = 500
const QUERY_MAX = 8_000

/** The query is read without a caller, and again for each message. */
export const WebhookQuery = Type.Omit(ChangesFilter, ['fields[issue]', 'assigned_to_me', 'watcher_token', 'address'])
export type WebhookQuery = Static<typeof WebhookQuery>

export const signatures = ['v1', 'v1a'] as const

const fields = {
  url: Type.String({
    maxLength: URL_MAX,
    pattern: '^https?://',
    description:
      'The address that gets the messages: `https`, with a public host unless the operator allows others, without user name and password: the signature is the proof of the sender.',
    'x-allowed': text('webhook_url', { max: URL_MAX }),
    examples: ['https://example.org/hooks/fixpoint'],
  }),
  query: Type.String({
    maxLength: QUERY_MAX,
    description:
      'The area and the filters as in the URL of `GET /changes`, without `since`, `tiles`, `fields[issue]`, `assigned_to_me`, `address` and `watcher_token`. Only one form of an area; without one: everywhere.',
    examples: ['place_url=denver&status=open,acknowledged,closed'],
  }),
  kinds: Type.Array(stringEnum(changeKinds), {
    minItems: 1,
    maxItems: changeKinds.length,
    description: 'The kinds of changes to send; the default is all.',
    'x-allowed': text('list_of_values', { values: changeKinds.join(', ') }),
    examples: [['created', 'changed', 'gone']],
  }),
}

export const NewWebhook = Type.Object(
  {
    url: fields.url,
    query: Type.Optional(fields.query),
    kinds: Type.Optional(fields.kinds),
    organization_id: Type.Optional({
      ...Id,
      description: 'An organisation that owns it instead of your account; needs `manage_organization`.',
      examples: [1],
    }),
    signature: Type.Optional(
      stringEnum(signatures, {
        default: 'v1',
        description: '`v1` is HMAC-SHA256 with a secret, `v1a` is Ed25519, whose public key is no secret.',
        examples: ['v1'],
      }),
    ),
    secret: Type.Optional(
      Type.String({
        pattern: '^whsec_([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|([A-Za-z0-9+/]{4})?[A-Za-z0-9+/]{2}==)?$',
        maxLength: 100,
        description: 'Your own secret for `v1`: `whsec_` and 24 to 64 bytes as base64. Without it, the response has a new one.',
        'x-allowed': text('webhook_secret'),
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ),
  },
  { title: 'NewWebhook' },
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChange = Type.Partial(Type.Object(fields), { title: 'WebhookChange' })
export type WebhookChange = Static<typeof WebhookChange>

export const Webhook = Type.Object(
  {
    id: { ...Id, examples: [3] },
    ...fields,
    organization_id: nullable(Id, { examples: [null] }),
    signature: stringEnum(signatures),
    public_key: nullable(Type.String({ description: 'Of `v1a`.' }), { examples: [null] }),
    state: stringEnum(['untested', 'active', 'failing', 'stopped'], {
      description:
        'A webhook starts with its first successful test. After two days of failures it is stopped, and goes on with the next successful test where it was.',
      examples: ['active'],
    }),
    error: nullable(Type.String({ description: 'Why the last attempt failed, or why it is stopped.' }), { examples: [null] }),
    failing_since: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Webhook' },
)
export type Webhook = Static<typeof Webhook>

export const CreatedWebhook = Type.Object(
  {
    ...Webhook.properties,
    secret: nullable(Type.String({ description: 'Shown only once; null for `v1a`.' }), {
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
  },
  { title: 'CreatedWebhook' },
)

export const WebhookList = Type.Object(
  { errors: Type.Object({}), metadata: Type.Object({}), webhooks: Type.Array(Webhook) },
  { title: 'WebhookList' },
)

export const TestResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the receiver responded with 2xx.', examples: [true] }),
    response_status: nullable(Type.Integer({ examples: [204] })),
    error: nullable(Type.String(), { examples: [null] }),
  },
  { title: 'WebhookTest' },
)

export const WebhookDelivery = Type.Object(
  {
    message_id: Type.String({
      description: 'The `webhook-id` of the message, the same in all attempts.',
      examples: ['msg_3_4711'],
    }),
    issue_id: nullable(Id),
    kind: stringEnum([...changeKinds, 'reset'], { examples: ['changed'] }),
    changed_at: Timestamp,
    attempts: Type.Integer({ examples: [1] }),
    response_status: nullable(Type.Integer({ examples: [204] })),
    error: nullable(Type.String(), { examples: [null] }),
    sent_at: NullableTimestamp,
    next_since: Type.String({ description: 'A cursor before this change, for a replay.', examples: ['OWUxMDdk…'] }),
  },
  { title: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>
export const WebhookDeliveryList = listResponse('deliveries', WebhookDelivery)
export const ListDeliveriesQuery = PageQuery

export const Replay = Type.Object(
  {
    since: Type.String({
      maxLength: 200,
      description: 'A cursor of the list, such as that of a delivery: changes after it are sent again.',
      'x-allowed': text('changes_cursor'),
      examples: ['OWUxMDdk…'],
    }),
  },
  { title: 'Replay' },
)

export const WebhookParams = Type.Object({ id: { ...Id, examples: [3], description: 'The id of a webhook that you may manage.' } })
