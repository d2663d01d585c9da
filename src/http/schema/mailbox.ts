import { domainToASCII } from 'node:url'

const LOCAL_MAX = 64
const DOMAIN_MAX = 190
/** What goes into an envelope without quotes, and nothing that cannot be seen. */
const LOCAL = /^[^\p{C}\p{Z}\s@<>()[\],;:\\"]+$/u
/** `domainToASCII` reads a whole host: these would end it, or be decoded. */
const NOT_OF_A_DOMAIN = /[\s@:/?#%\\[\]]/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The one spelling of an e-mail address, under which it is kept, looked for and counted: the domain in ASCII and lower case (UTS 46), as mail
 * servers are asked for it; the part before it as typed, in NFC, and without blanks around it. Its case is kept, since the owner's mail server may tell
 * cases apart; whoever compares does so by `lower()`. Undefined where it is no address, or its domain can have no mail server.
 */
export function readMailbox(given: string): string | undefined {
  const text = given.trim()
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, Math.max(0, at)).normalize('NFC'), text.slice(at + 1)]
  if (at < 1 || local.length > LOCAL_MAX || !LOCAL.test(local) || NOT_OF_A_DOMAIN.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  // An address of a machine is no domain, however it is written (1.2, 0x7f.1).
  if (ascii.length > DOMAIN_MAX || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? ''))
    return undefined
  return `${local}@${ascii}`
}

/** The same where no address is as good as a wrong one, which nobody has. */
export const mailboxOf = (given: string): string => readMailbox(given) ?? given.trim()
