import Type from 'typebox'

import { sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { readMailbox } from '../http/schema/mailbox.ts'
import { can } from '../issue-lifecycle/access.ts'
import { type Language, languageOf, languages, text, textsIn } from '../locales/texts.ts'
import { type FieldErrors, type Channel, channels, NAME_MAX, PHONE_MAX } from './report-schema.ts'
import type { FurtherAnswer } from './report-issue.ts'
import { requestReceipt } from './report-queries.ts'

/** The person for whom an employee reports. Contact data is only for staff, and the job `clear-device-fields` deletes it. */
export interface OnBehalf {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly language: Language
  readonly channel: Channel
}

/** Reads `on_behalf` of the body of a report. Errors are named as in a form. */
export function parseOnBehalf(body: unknown): { readonly person: OnBehalf | undefined; readonly errors: FieldErrors } {
  const input = isObject(body) ? body['on_behalf'] : undefined
  if (input === undefined || input === null) return { person: undefined, errors: {} }
  if (!isObject(input)) return { person: undefined, errors: { on_behalf: [text('must_be', { allowed: text('an_object') })] } }
  const errors: FieldErrors = {}
  const read = (field: string, max: number) => {
    const value = input[field] ?? ''
    if (typeof value === 'string' && [...value.trim()].length <= max) return value.trim() || null
    errors[`on_behalf[${field}]`] = [text('must_be', { allowed: text('a_text_up_to', { max }) })]
    return null
  }
  const [name, phone, address] = [read('name', NAME_MAX), read('phone', PHONE_MAX), read('email', NAME_MAX)]
  const email = address === null ? null : (readMailbox(address) ?? null)
  if (address !== null && email === null) errors['on_behalf[email]'] = [text('must_be', { allowed: text('email_address') })]
  const readOne = <const Values extends readonly string[]>(field: string, values: Values): Values[number] | undefined => {
    const value = values.find((one) => one === input[field])
    if (value === undefined)
      errors[`on_behalf[${field}]`] = [text('must_be', { allowed: text('one_of', { values: values.join(', ') }) })]
    return value
  }
  const channel = readOne('channel', channels)
  const language = input['language'] === undefined ? 'en' : readOne('language', languages)
  const hasContact = name !== null || phone !== null || email !== null
  if (hasContact && input['consent'] !== true && input['consent'] !== 'true')
    errors['on_behalf[consent]'] = [text('must_be', { allowed: text('only_true') })]
  if (channel === undefined || language === undefined) return { person: undefined, errors }
  return { person: { name, email, phone, language: languageOf(language), channel }, errors }
}

/** The contact data as private answers, which only staff see. The name in the value lets `addIssueMails` find the address. */
function toContactAnswers({ name, email, phone }: OnBehalf, language: Language): FurtherAnswer[] {
  const texts = textsIn(language)
  const fields = [
    [texts('contactFields.name'), name],
    [texts('contactFields.email'), email],
    [texts('contactFields.phone'), phone],
  ] as const
  return fields.flatMap(([question, answer]) =>
    answer === null
      ? []
      : [
          {
            question,
            answer,
            answer_kept_private: true,
            is_contact: true,
            ...(answer === email && { value: { caller_email: email } }),
          },
        ],
  )
}

interface Entry {
  /** The employee. */
  readonly by: Viewer
  readonly now: Date
  readonly via: 'api' | 'web'
  /** The language of the employee: only staff read the names of the contact fields. */
  readonly language: Language
}

/** Returns what makes a report that of a caller, entered by an employee. */
export const forCaller = (person: OnBehalf, { by, now, via, language }: Entry) => ({
  source: person.channel === 'phone' ? ('phone' as const) : ('staff' as const),
  reporter: null,
  enteredBy: by,
  furtherAnswers: toContactAnswers(person, language),
  locale: person.language,
  onReported: (tx: Transaction, { id }: { readonly id: number }) => recordOnBehalf(tx, id, { by, person, now, via }),
})

const Permission = Type.Object({ may: Type.Boolean() })

/**
 * Completes a report for a caller in its transaction: the log names the employee, and the caller gets a receipt.
 * @throws Problem 403 if the employee may not report for callers to the organisation of the issue
 */
async function recordOnBehalf(
  tx: Transaction,
  issueId: number,
  { by, person, now, via }: Omit<Entry, 'language'> & { readonly person: OnBehalf },
): Promise<void> {
  const [issue] = await tx.query(sql.type(Permission)`
    SELECT ${can(by, 'report_for_caller')} AS may FROM issues i WHERE i.id = ${issueId}`)
  if (!issue?.may) throw problems.notPermitted(text('capability_missing', { capability: 'report_for_caller' }))
  await tx.prisma.issueLog.create({
    data: {
      ...{ issue_id: issueId, version: 1, actor_id: by.id, kind: 'report', source: via, created_at: now },
      after: { channel: person.channel },
    },
  })
  if (person.email !== null) await requestReceipt(tx, { issueId, email: person.email, locale: person.language })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
