/*
 * Secrets that tests put into the database, looked for in every answer that the suite gets, not only where a test is about them. The
 * builders of `given` plant them, and the helper `clientOf` calls `checkCanaries`, so that no test has to.
 */

/** `token`: in no answer at all. `address`: only where people see their own. `answer`: kept private, so never for nobody. */
type Kind = 'token' | 'address' | 'answer'

const planted = new Map<string, Kind>()

/** What is shorter could stand in an answer by chance. */
const LENGTH_MIN = 8

export function plantCanary(kind: Kind, text: string): void {
  if (text.length >= LENGTH_MIN) planted.set(text, kind)
}

/** With the rows that hold them. */
export function forgetCanaries(): void {
  planted.clear()
}

export interface Asked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Where somebody who is logged in, or has a link of a mail, meets addresses of their own. */
const OWN_ADDRESSES = /^(\/api\/v2)?\/(emails|account|dev\/mails|password)\b/

/** @throws Error naming the secret that an answer tells */
export function checkCanaries(asked: Asked, answered: { readonly headers: object; readonly payload: string }): void {
  if (planted.size === 0) return
  const text = `${JSON.stringify(answered.headers)}\n${answered.payload}`
  const isNobody = !Object.keys(asked.headers).some((name) => ['authorization', 'cookie'].includes(name.toLowerCase()))
  let sent: string | undefined
  for (const [secret, kind] of planted) {
    if (!text.includes(secret)) continue
    // Whoever sent it learns nothing from seeing it again: a form shows what was typed.
    sent ??= `${asked.url} ${typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body ?? '')}`
    const mayBeSeen = kind === 'answer' ? !isNobody : kind === 'address' && OWN_ADDRESSES.test(asked.url)
    if (!mayBeSeen && !sent.includes(secret) && !sent.includes(encodeURIComponent(secret)))
      throw new Error(`${asked.url} tells a secret: ${kind} ${secret}\n${text.slice(0, 2_000)}`)
  }
}
