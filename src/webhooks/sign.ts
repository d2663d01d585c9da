import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/* Standard Webhooks 1.0: symmetric secrets begin with `whsec_`, private keys of Ed25519 with `whsk_`, public ones with `whpk_`. */

export type Signature = 'v1' | 'v1a'

export function newWebhookSecret(signature: Signature): string {
  if (signature === 'v1') return `whsec_${randomBytes(32).toString('base64')}`
  return `whsk_${generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`
}

/** Returns the public key for receivers, or null for a symmetric secret. */
export function publicKeyOf(secret: string): string | null {
  if (!secret.startsWith('whsk_')) return null
  return `whpk_${Buffer.from(privateKey(secret).export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
}

const privateKey = (secret: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(secret.slice('whsk_'.length), 'base64'), format: 'der', type: 'pkcs8' })

/** Returns the headers of a message. It has a signature for each secret, so that a receiver may know only one of two. */
export function signMessage(secrets: readonly string[], { id, body, now }: { id: string; body: string; now: Date }) {
  const timestamp = Math.floor(now.getTime() / 1_000)
  const content = `${id}.${timestamp}.${body}`
  const signWith = (secret: string) =>
    secret.startsWith('whsec_')
      ? `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
          .update(content)
          .digest('base64')}`
      : `v1a,${sign(null, Buffer.from(content), privateKey(secret)).toString('base64')}`
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': secrets.map(signWith).join(' ') }
}
