import { domainToASCII } from 'node:url'
import Type from 'typebox'

import { text } from '../../locales/texts.ts'

/** A single address without a display name or quotes. Surrounding blanks are ignored. */
export const EmailAddress = Type.String({
  pattern: '^\\s*[^\\s@<>()\\[\\],;:\\\\"]{1,64}@[^\\s@<>()\\[\\],;:\\\\"]{1,190}\\s*$',
  format: 'mailbox',
  'x-allowed': text('email_address'),
  examples: ['ada@example.org'],
})

/** An address that a page mails at once. A domain without a dot is a mistake there; the API accepts one for local networks. */
export const EmailAddressWithDomain = Type.String({
  ...EmailAddress,
  pattern: '@\\S+[.\u3002\uff0e]\\S+\\s*$',
  'x-allowed': text('email_address_with_domain'),
})

const LOCAL_MAX = 64
const DOMAIN_MAX = 190
/** Visible characters that are valid in an SMTP envelope without quotes. */
const LOCAL = /^[^\p{C}\p{Z}\s@<>()[\],;:\\"]+$/u
/** Characters that end a host name in `domainToASCII` or are decoded by it. */
const INVALID_IN_DOMAIN = /[\s@:/?#%\\[\]]/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the address with its domain in lower-case ASCII (UTS 46) and its local part in NFC, whose case may matter. */
export function readMailbox(input: string): string | undefined {
  const text = input.trim()
  const atSign = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, Math.max(0, atSign)).normalize('NFC'), text.slice(atSign + 1)]
  if (atSign < 1 || local.length > LOCAL_MAX || !LOCAL.test(local) || INVALID_IN_DOMAIN.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  // Any spelling of an IP address (1.2, 0x7f.1) is no domain.
  if (ascii.length > DOMAIN_MAX || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? ''))
    return undefined
  return `${local}@${ascii}`
}

/** Returns the canonical form, or an invalid address unchanged, which no account has. */
export const toMailbox = (input: string): string => readMailbox(input) ?? input.trim()
