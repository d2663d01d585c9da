import Type from 'typebox'

import type { Webhook as WebhookRow, WebhookDelivery as DeliveryRow } from '../../prisma/generated/client.ts'
import { Id, nullable, type PrismaHandle, type Queryable, sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { mayIn, organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { text } from '../locales/texts.ts'
import { lockOrganization } from '../organizations/queries.ts'
import type { NewWebhook, Webhook, WebhookDelivery } from './schema.ts'
import { WEBHOOKS_MAX } from './schema.ts'
import { newWebhookSecret, publicKeyOf } from './sign.ts'

export type { DeliveryRow, WebhookRow }

/** Time for which former secrets sign too. */
const OVERLAP_MS = 24 * 3_600_000
const SECRETS_MAX = 5

/** Returns the webhooks of the caller's account, and of organisations that the caller may manage. */
export function listWebhooks({ prisma }: PrismaHandle, viewer: Viewer): Promise<WebhookRow[]> {
  const organization_id = { in: organizationIdsWith(viewer, 'manage_organization') }
  return prisma.webhook.findMany({ where: { OR: [{ user_id: viewer.id }, { organization_id }] }, orderBy: { id: 'asc' } })
}

/** @throws Problem 404 for one that the caller may not manage */
export async function findWebhook({ prisma }: PrismaHandle, viewer: Viewer, id: number): Promise<WebhookRow> {
  const found = await prisma.webhook.findUnique({ where: { id } })
  const isAllowed = found?.organization_id
    ? mayIn(viewer, 'manage_organization', found.organization_id)
    : found?.user_id === viewer.id
  if (!found || !isAllowed) throw problems.notFound('the_webhook')
  return found
}

/** @throws Problem 422 `{base}` for too many, or for an account without a confirmed address */
export async function addWebhook(tx: Transaction, viewer: Viewer, input: NewWebhook): Promise<WebhookRow> {
  const { url, query = '', kinds = ['created', 'changed', 'gone'], organization_id, signature = 'v1' } = input
  if (input.secret !== undefined && signature === 'v1a') throw problems.invalid({ secret: text('webhook_secret_v1') })
  if (!viewer.isConfirmed) throw problems.invalid({ base: text('confirmed_address_required') })
  const owner = organization_id === undefined ? { user_id: viewer.id } : { organization_id }
  await (organization_id === undefined ? lockUser(tx, viewer.id) : lockOrganization(tx, organization_id))
  if ((await tx.prisma.webhook.count({ where: owner })) >= WEBHOOKS_MAX)
    throw problems.invalid({ base: text('too_many_webhooks', { max: WEBHOOKS_MAX }) })
  const secret = input.secret ?? newWebhookSecret(signature)
  return tx.prisma.webhook.create({ data: { ...owner, url, query, kinds, signature, secret } })
}

/** Gives a webhook a new secret. The last ones of a day sign too, because the receiver may have any of them. */
export function renewSecret({ prisma }: PrismaHandle, row: WebhookRow, now: Date): Promise<WebhookRow> {
  const former_secret = secretsOf(row, now)
    .slice(0, SECRETS_MAX - 1)
    .join(' ')
  const former_until = new Date(now.getTime() + OVERLAP_MS)
  const secret = newWebhookSecret(row.signature as Webhook['signature'])
  return prisma.webhook.update({ where: { id: row.id }, data: { secret, former_secret, former_until, updated_at: now } })
}

/** Returns the secret for its owner; a private key stays here. */
export const shownSecret = ({ signature, secret }: WebhookRow) => (signature === 'v1' ? secret : null)

export const secretsOf = ({ secret, former_secret, former_until }: WebhookRow, now: Date): string[] =>
  former_secret !== null && former_until !== null && former_until > now ? [secret, ...former_secret.split(' ')] : [secret]

export function presentWebhook({ secret, former_secret: _, former_until: _until, ...row }: WebhookRow): Webhook {
  const { id, url, query, organization_id, error, failing_since, created_at, updated_at } = row
  const running = failing_since === null ? 'active' : 'failing'
  return {
    ...{ id, url, query, kinds: row.kinds as Webhook['kinds'], organization_id },
    ...{ signature: row.signature as Webhook['signature'], public_key: publicKeyOf(secret) },
    state: row.is_active ? running : row.position === null ? 'untested' : 'stopped',
    ...{ error, failing_since: toNullableTimestamp(failing_since?.toISOString() ?? null) },
    ...{ created_at: toTimestamp(created_at.toISOString()), updated_at: toTimestamp(updated_at.toISOString()) },
  }
}

/** The id is that of the change, so that it is the same in a replay. */
export const messageId = ({ webhook_id, issue_id, changed_at }: Pick<DeliveryRow, 'webhook_id' | 'issue_id' | 'changed_at'>) =>
  `msg_${webhook_id}_${issue_id ?? 'reset'}_${changed_at.getTime()}`

export function presentDelivery(row: DeliveryRow): WebhookDelivery {
  const { issue_id, kind, changed_at, attempts, response_status, error, sent_at, next_since } = row
  return {
    ...{ message_id: messageId(row), issue_id, kind: kind as WebhookDelivery['kind'] },
    ...{ changed_at: toTimestamp(changed_at.toISOString()), attempts, response_status, error },
    ...{ sent_at: toNullableTimestamp(sent_at?.toISOString() ?? null), next_since },
  }
}

const LeasedRow = Type.Object({ id: Id, language: nullable(Type.String()) })

/** Webhooks of one owner that are served at a time. */
const AT_ONCE_OF_OWNER = 2

/**
 * Leases the webhook that has waited longest. One is idle while nothing changed anywhere; each hour its cursor moves on all the same, before it becomes
 * too old.
 */
export const leaseDueWebhook = (db: Queryable, leased_until: Date) =>
  db.query(sql.first(LeasedRow)`
    UPDATE webhooks w SET leased_until = ${leased_until}
    WHERE w.id = (
      SELECT due.id FROM webhooks due
      WHERE due.is_active AND due.due_at <= now() AND coalesce(due.leased_until <= now(), TRUE)
        AND NOT EXISTS (SELECT FROM users u WHERE u.id = due.user_id AND u.disabled_at IS NOT NULL)
        AND (SELECT count(*) FROM webhooks other WHERE other.leased_until > now()
          AND (other.user_id, other.organization_id) IS NOT DISTINCT FROM (due.user_id, due.organization_id)) < ${AT_ONCE_OF_OWNER}::integer
        AND (due.due_at < now() - interval '1 hour'
          OR EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = due.id AND d.sent_at IS NULL)
          OR EXISTS (SELECT FROM public_issue_changes c
            WHERE c.xid >= due.position_xid AND c.xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint))
      ORDER BY due.due_at, due.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING w.id, (SELECT coalesce((SELECT o.language::text FROM organizations o WHERE o.id = w.organization_id),
      (SELECT u.locale FROM users u WHERE u.id = w.user_id))) AS language`)
