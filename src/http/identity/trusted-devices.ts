import { createHmac } from 'node:crypto'
import Type from 'typebox'

import { Count, Id, type Database, join, type Sql, sql } from '../../database/database.ts'
import { findSigningKey } from './signing-keys.ts'

/** Limit for the trusted IP addresses and browsers of an account; the newest stay. */
const DEVICES_MAX = 20
export const TRUST_DAYS = 90
const TRUST_PERIOD = sql`make_interval(days => ${TRUST_DAYS}::integer)`

/** IP addresses and browsers from which the password of an account was right lately. */
export interface TrustedDevices {
  /** Returns the first device id that the account trusts. An unknown account takes the same time. */
  find(userId: number, deviceIds: readonly string[]): Promise<string | undefined>
  /** Returns ids of the accounts that have the unconfirmed e-mail address and trust one of the devices. */
  listTrustingUsers(email: string, deviceIds: readonly string[]): Promise<number[]>
  trust(userId: number, deviceId: string): Promise<void>
}

// The hash includes the account, so that the rows of two users with one IP address differ.
const hashDevice = (userId: Sql, mark: Sql) =>
  sql`encode(sha256(convert_to(${userId}::integer::text || ' ' || ${mark}, 'UTF8')), 'hex')`

// The stored mark of a device is an HMAC, because a plain hash of an IPv4 address can be reversed.
const hmac = (key: string, deviceId: string) => createHmac('sha256', key).update(deviceId).digest('base64url')

const DeviceMatch = Type.Object({ n: Count })
const UserId = Type.Object({ user_id: Id })

export function createTrustedDevices(db: Database): TrustedDevices {
  let key: string | undefined
  const toMark = async (deviceId: string) => hmac((key ??= await findSigningKey(db, 'trusted devices')), deviceId)
  const toValues = async (deviceIds: readonly string[]) => {
    const rows: Sql[] = []
    for (const [n, deviceId] of deviceIds.entries()) rows.push(sql`(${n}::integer, ${await toMark(deviceId)}::text)`)
    return sql`VALUES ${join(rows)}`
  }

  return {
    async find(userId, deviceIds) {
      const [found] = await db.query(sql.type(DeviceMatch)`
        SELECT devices.n
        FROM (${await toValues(deviceIds)}) AS devices (n, mark)
        JOIN trusted_devices f ON f.user_id = ${userId} AND f.mark = ${hashDevice(sql`${userId}`, sql`devices.mark`)}
        WHERE f.seen_at > now() - ${TRUST_PERIOD}
        ORDER BY devices.n LIMIT 1`)
      return found && deviceIds[found.n]
    },

    async listTrustingUsers(email, deviceIds) {
      const users = await db.query(sql.type(UserId)`
        SELECT DISTINCT e.user_id
        FROM email_addresses e
        CROSS JOIN (${await toValues(deviceIds)}) AS devices (n, mark)
        JOIN trusted_devices f ON f.user_id = e.user_id AND f.mark = ${hashDevice(sql`e.user_id`, sql`devices.mark`)}
        WHERE lower(e.email) = lower(${email}) AND e.removed_at IS NULL AND f.seen_at > now() - ${TRUST_PERIOD}`)
      return users.map(({ user_id }) => user_id)
    },

    async trust(userId, deviceId) {
      const mark = await toMark(deviceId)
      await db.transaction(async (tx) => {
        const stored = await tx.execute(sql`
          INSERT INTO trusted_devices (user_id, mark) VALUES (${userId}, ${hashDevice(sql`${userId}`, sql`${mark}::text`)})
          ON CONFLICT (user_id, mark) DO UPDATE SET seen_at = now() WHERE trusted_devices.seen_at < now() - interval '1 day'`)
        if (stored === 0) return
        await tx.execute(sql`
          DELETE FROM trusted_devices f WHERE f.user_id = ${userId} AND f.mark IN (
            SELECT o.mark FROM trusted_devices o WHERE o.user_id = ${userId} ORDER BY o.seen_at DESC, o.mark OFFSET ${DEVICES_MAX})`)
      })
    },
  }
}
