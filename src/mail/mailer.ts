import { createTransport } from 'nodemailer'
import pLimit from 'p-limit'

import type { Config } from '../config.ts'
import type { Urls } from '../http/request/urls.ts'
import { type MailFolder, mailFolderIn } from './folder.ts'

export interface OutgoingMail {
  /** The local part of the Message-ID; each attempt to send the same mail has the same one. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * `sent`: the server replied 250. `refused`: the failure is permanent for this address. `later`: the failure is temporary, or
 * the server was unreachable.
 */
export interface SendResult {
  readonly outcome: 'sent' | 'refused' | 'later'
  /** The reply of the server or the connection error, without the address of the recipient. */
  readonly answer: string
  /** The server is unreachable or rejects the login, so other mails would fail as well. */
  readonly isServerDown?: boolean
}

export interface Mailer {
  /** Resolves within a minute and never rejects. Never call it in a transaction, because it would hold the locks. */
  send(mail: OutgoingMail): Promise<SendResult>
  /**
   * Runs one of many sending tasks when a connection is free; at most as many run at once as there are connections. Mails sent
   * without it, such as those that a user waits for, are not queued behind bulk mails.
   */
  schedule<Result>(task: () => Promise<Result>): Promise<Result>
  /** Closes idle connections now and the others when their mail is done. */
  close(): void
  /** The folder of mails that are stored while no server is configured; it may also contain mails from before. */
  readonly folder: MailFolder
}

/** Timeouts of the SMTP connection. Their sum is less than the lease of a mail (queries.ts). */
export interface MailTimeouts {
  readonly connect_ms: number
  readonly socket_ms: number
  readonly total_ms: number
}
const TIMEOUTS: MailTimeouts = { connect_ms: 10_000, socket_ms: 20_000, total_ms: 60_000 }
const ANSWER_MAX = 500
const CONNECTIONS = 10
const FILE_CONCURRENCY = 4
/** Time after which an idle connection is closed, before the server closes it. */
const IDLE_MS = 30_000

/** Opens a mailer that sends by SMTP if `SMTP_URL` is set, or else writes each mail to a file. */
export function openMailer(
  {
    smtpUrl,
    mailFrom,
    dataDir,
    smtpConnections = CONNECTIONS,
  }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'> & Partial<Pick<Config, 'smtpConnections'>>,
  urls: Urls,
  timeouts = TIMEOUTS,
): Mailer {
  const folder = mailFolderIn(dataDir)
  const message = ({ id, to, subject, text, html, headers }: OutgoingMail) => {
    const host = new URL(urls.root).hostname
    return {
      messageId: `<${id}@${host}>`,
      from: mailFrom ?? `Fixpoint <no-reply@${host}>`,
      // An object prevents an address from being parsed as a list of several.
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
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    return {
      folder,
      schedule: pLimit(FILE_CONCURRENCY),
      close: () => undefined,
      async send(mail) {
        try {
          const { message: bytes } = await composer.sendMail(message(mail))
          return { outcome: 'sent', answer: `stored as ${await folder.store(mail.id, bytes as Buffer)}` }
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
  })
  return {
    folder,
    schedule: pLimit(smtpConnections),
    close: () => server.close(),
    async send(mail) {
      try {
        const { response } = await server.sendMail({ ...message(mail), signal: AbortSignal.timeout(total_ms) })
        return { outcome: 'sent', answer: redactReply(response, mail.to) }
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

/**
 * A 5xx reply to the recipient or to the message, or an address that cannot be transmitted, is a permanent failure. A 5xx reply
 * to the login or the sender is a configuration error, so the mail is retried.
 */
function toFailure({ code, responseCode, response, command, message }: SmtpError, to: string): SendResult {
  const isMailRejected = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM')
  const isPermanent = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500
  const answer = redactReply(response ?? `${code ?? 'error'}: ${message}`, to)
  const isServerDown = responseCode === 421 || command === 'CONN' || SERVER_DOWN_CODES.has(code ?? '')
  return { outcome: isMailRejected && isPermanent ? 'refused' : 'later', answer, ...(isServerDown ? { isServerDown } : {}) }
}

const SERVER_DOWN_CODES = new Set(['EAUTH', 'ECONNECTION', 'EDNS', 'ENOAUTH', 'ESOCKET', 'ETLS'])

const redactReply = (text: string, to: string) => text.replaceAll(to, '…').slice(0, ANSWER_MAX)
