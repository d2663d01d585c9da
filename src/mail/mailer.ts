import { createTransport } from 'nodemailer'
import pLimit from 'p-limit'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import type { Config } from '../config.ts'
import { BoundedMemory } from '../http/rate-limit/rate-limit-store.ts'
import type { Urls } from '../http/request/urls.ts'
import { type MailFolder, openMailFolder } from './folder.ts'

export interface OutgoingMail {
  /** Each attempt to send the same mail has the same id, which is the local part of the Message-ID. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `rejected`: the e-mail address or the message is refused permanently. `deferred`: the failure is temporary, or the server was unreachable. */
export interface SendResult {
  readonly outcome: 'sent' | 'rejected' | 'deferred'
  /** The reply of the server or the connection error does not contain the e-mail address of the recipient. */
  readonly reply: string
  /** The server is unreachable or rejects the login, so other mails would fail as well. */
  readonly isServerDown?: boolean
}

export interface Mailer {
  /** Resolves within a minute and never rejects. Never call it in a transaction, because it would hold the locks. */
  send(mail: OutgoingMail): Promise<SendResult>
  /** Counts a mail to the domain of its recipient. Returns the milliseconds until the next one may be sent, or 0. */
  countByDomain?(to: string): Promise<number>
  /** Runs a task when a connection is free. Mails that a user waits for are sent without it, so bulk mails do not delay them. */
  withConnectionSlot<Result>(task: () => Promise<Result>): Promise<Result>
  /** Connects to the server and logs in. @throws Error if that fails */
  verify(): Promise<unknown>
  close(): void
  /** Mails are stored here while no server is configured; the folder may also contain older mails. */
  readonly folder: MailFolder
}

export const SEND_MAX_MS = 60_000
const TIMEOUTS = { connect_ms: 10_000, socket_ms: 20_000, total_ms: SEND_MAX_MS }
const REPLY_MAX = 500
const CONNECTIONS = 10
const FILE_CONCURRENCY = 4
/** RFC 8058 wants both headers of unsubscribing to be signed. */
const SIGNED_HEADERS =
  'From:To:Subject:Date:Message-ID:MIME-Version:Content-Type:Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post'
/** Time after which an idle connection is closed, before the server closes it. */
const IDLE_MS = 30_000

/** Opens a mailer that sends by SMTP if `SMTP_URL` is set, or else writes each mail to a file. @param limits counts that all workers share */
export function openMailer(
  {
    smtpUrl,
    mailFrom,
    dataDir,
    smtpConnections = CONNECTIONS,
    mailDomainRate = 0,
    dkimKey,
    dkimSelector = '',
  }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'> &
    Partial<Pick<Config, 'smtpConnections' | 'mailDomainRate' | 'dkimSelector'>> & { readonly dkimKey?: string | undefined },
  urls: Urls,
  timeouts = TIMEOUTS,
  limits: RateLimiterAbstract = new BoundedMemory(),
): Mailer {
  const folder = openMailFolder(dataDir)
  const senderDomain = () => /@([^>]+)/.exec(mailFrom ?? '')?.[1] ?? new URL(urls.root).hostname
  const message = ({ id, to, subject, text, html, headers }: OutgoingMail) => {
    const host = new URL(urls.root).hostname
    return {
      messageId: `<${id}@${host}>`,
      from: mailFrom ?? `Fixpoint <no-reply@${host}>`,
      // An object prevents an e-mail address from being parsed as a list of several.
      to: { name: '', address: to },
      subject,
      text,
      html,
      // RFC 3834: the header prevents automatic replies.
      headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      disableFileAccess: true,
      disableUrlAccess: true,
    }
  }
  if (smtpUrl === undefined) {
    const streamTransport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    return {
      folder,
      withConnectionSlot: pLimit(FILE_CONCURRENCY),
      verify: () => Promise.resolve(),
      close: () => undefined,
      async send(mail) {
        try {
          const { message: bytes } = await streamTransport.sendMail(message(mail))
          return { outcome: 'sent', reply: `stored as ${await folder.store(mail.id, bytes as Buffer)}` }
        } catch (error) {
          return toFailure(error as SmtpError, mail.to)
        }
      },
    }
  }
  const { connect_ms, socket_ms, total_ms } = timeouts
  const server = createTransport({
    pool: true,
    maxConnections: smtpConnections,
    idleTimeout: IDLE_MS,
    url: smtpUrl,
    dnsTimeout: connect_ms,
    connectionTimeout: connect_ms,
    greetingTimeout: connect_ms,
    socketTimeout: socket_ms,
    ...(dkimKey === undefined
      ? {}
      : { dkim: { domainName: senderDomain(), keySelector: dkimSelector, privateKey: dkimKey, headerFieldNames: SIGNED_HEADERS } }),
  })
  return {
    folder,
    countByDomain: async (to) => {
      if (mailDomainRate === 0) return 0
      const counted = await limits.consume(`mails:${to.slice(to.lastIndexOf('@') + 1).toLowerCase()}`)
      return counted.consumedPoints > mailDomainRate ? Math.max(1, counted.msBeforeNext) : 0
    },
    withConnectionSlot: pLimit(smtpConnections),
    verify: () => server.verify(),
    close: () => server.close(),
    async send(mail) {
      try {
        const { response } = await server.sendMail({ ...message(mail), signal: AbortSignal.timeout(total_ms) })
        return { outcome: 'sent', reply: redactReply(response, mail.to) }
      } catch (error) {
        return toFailure(error as SmtpError, mail.to)
      }
    },
  }
}

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/** A 5xx reply to the login or the sender is a configuration error, so the mail is retried. */
function toFailure({ code, responseCode, response, command, message }: SmtpError, to: string): SendResult {
  const isMailRejected = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM')
  const isPermanent = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500
  const reply = redactReply(response ?? `${code ?? 'error'}: ${message}`, to)
  const isServerDown = responseCode === 421 || command === 'CONN' || SERVER_DOWN_CODES.has(code ?? '')
  return {
    outcome: isMailRejected && isPermanent ? 'rejected' : 'deferred',
    reply,
    ...(isServerDown ? { isServerDown } : {}),
  }
}

const SERVER_DOWN_CODES = new Set(['EAUTH', 'ECONNECTION', 'EDNS', 'ENOAUTH', 'ESOCKET', 'ETLS'])

const redactReply = (text: string, to: string) => text.replaceAll(to, '…').slice(0, REPLY_MAX)
