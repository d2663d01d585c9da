import { createTransport } from 'nodemailer'
import pLimit from 'p-limit'

import type { Config } from '../config.ts'
import type { Urls } from '../http/request/urls.ts'
import { type MailFolder, mailFolderIn } from './folder.ts'

export interface OutgoingMail {
  /** The left side of the Message-ID; the same whenever the same mail is sent once more. */
  readonly id: string
  /** One bare address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `sent`: the server said 250. `refused`: it never will for this address. `later`: it may yet, or could not be asked. */
export interface Sending {
  readonly end: 'sent' | 'refused' | 'later'
  /** What the server or the connection said, without the address of the recipient. */
  readonly answer: string
  /** The server could not be reached, or not be logged in to: no other mail would fare better now. */
  readonly isAway?: boolean
}

export interface Mailer {
  /** Resolves within a minute and never rejects. Never call it inside of a transaction. */
  send(mail: OutgoingMail): Promise<Sending>
  /**
   * Does work that sends one of many mails when its turn comes: as many at once as there are connections. What is sent without it, like the
   * mail that somebody waits for, takes the next connection that is free.
   */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** Ends the connections that are idle, and the others when their mail is done. */
  close(): void
  /** The folder of mails while there is no server for them; it may hold mails from before there was one. */
  readonly folder: MailFolder
}

/** A server that says nothing is given up; a lease of a delivery is longer than all of it (queries.ts). */
export interface MailTimeouts {
  readonly connect_ms: number
  readonly silence_ms: number
  readonly whole_ms: number
}
const TIMEOUTS: MailTimeouts = { connect_ms: 10_000, silence_ms: 20_000, whole_ms: 60_000 }
const ANSWER_MAX = 500
const CONNECTIONS = 10
/** Files are written one after the other anyway. */
const FILES_AT_ONCE = 4
/** Servers end idle connections after minutes; ours ends first. */
const IDLE_MS = 30_000

/** Sends by SMTP where `SMTP_URL` names a server; else each mail becomes a file of its own. */
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
      // As an object: what stands in an address is never read as a list of several.
      to: { name: '', address: to },
      subject,
      text,
      html,
      // RFC 3834: nobody's holiday notice should come back.
      headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      disableFileAccess: true,
      disableUrlAccess: true,
    }
  }
  if (smtpUrl === undefined) {
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    return {
      folder,
      inTurn: pLimit(FILES_AT_ONCE),
      close: () => undefined,
      async send(mail) {
        try {
          const { message: bytes } = await composer.sendMail(message(mail))
          return { end: 'sent', answer: `kept as ${await folder.keep(mail.id, bytes as Buffer)}` }
        } catch (error) {
          return outcomeOf(error as SmtpError, mail.to)
        }
      },
    }
  }
  const { connect_ms, silence_ms, whole_ms } = timeouts
  const server = createTransport({
    pool: true,
    maxConnections: smtpConnections,
    idleTimeout: IDLE_MS,
    url: smtpUrl,
    dnsTimeout: connect_ms,
    connectionTimeout: connect_ms,
    greetingTimeout: connect_ms,
    socketTimeout: silence_ms,
  })
  return {
    folder,
    inTurn: pLimit(smtpConnections),
    close: () => server.close(),
    async send(mail) {
      try {
        const { response } = await server.sendMail({ ...message(mail), signal: AbortSignal.timeout(whole_ms) })
        return { end: 'sent', answer: answerOf(response, mail.to) }
      } catch (error) {
        return outcomeOf(error as SmtpError, mail.to)
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
 * A 5xx to the recipient or to the mail itself is final, and so is an address that no server could be told. A 5xx to our own login or
 * sender is not the recipient's fault: somebody will mend the settings.
 */
function outcomeOf({ code, responseCode, response, command, message }: SmtpError, to: string): Sending {
  const isOfThisMail = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM')
  const isFinal = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500
  const answer = answerOf(response ?? `${code ?? 'error'}: ${message}`, to)
  const isAway = responseCode === 421 || command === 'CONN' || AWAY.has(code ?? '')
  return { end: isOfThisMail && isFinal ? 'refused' : 'later', answer, ...(isAway ? { isAway } : {}) }
}

const AWAY = new Set(['EAUTH', 'ECONNECTION', 'EDNS', 'ENOAUTH', 'ESOCKET', 'ETLS'])

const answerOf = (text: string, to: string) => text.replaceAll(to, '…').slice(0, ANSWER_MAX)
