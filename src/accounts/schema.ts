import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { nullable, stringEnum } from '../http/schema/fields.ts'
import { EmailAddress } from '../http/schema/mailbox.ts'
import { LOCALE } from '../http/errors/text-language.ts'
import { contentChoices } from './erasure.ts'
import { NAME_LENGTH, NAME_PATTERN } from '../users/rules.ts'
import { UploadedAvatar } from './avatar.ts'
import { Password, PasswordConfirmation, textField } from './passwords/schema.ts'

const Name = textField(text('a_text_between', NAME_LENGTH), { pattern: NAME_PATTERN, examples: ['Ada Park'] })
const PlaceName = nullable(
  textField(text('url_name_of_place'), {
    maxLength: 200,
    description: 'The home place; blank or null for none.',
    examples: ['denver'],
  }),
)

const Locale = textField(text('language_tag'), {
  pattern: LOCALE,
  examples: ['en'],
})

const booleanField = (options: Record<string, unknown>) =>
  Type.Unsafe<boolean | 'true' | 'false'>({ enum: [true, false, 'true', 'false'], 'x-allowed': text('true_or_false'), ...options })

export const Registration = Type.Object(
  {
    name: Name,
    email: EmailAddress,
    password: Password,
    password_confirmation: PasswordConfirmation,
    accept_terms: Type.Unsafe<true>({ enum: [true, 'true'], 'x-allowed': text('only_true'), examples: [true] }),
    place_url_name: Type.Optional(PlaceName),
    locale: Type.Optional(Locale),
    uploaded_data: Type.Optional(UploadedAvatar),
  },
  { title: 'Registration' },
)

export type Registration = Static<typeof Registration>

export const ProfileChange = Type.Object(
  {
    accept_terms: Type.Optional(Registration.properties.accept_terms),
    name: Type.Optional(Name),
    email: Type.Optional(EmailAddress),
    password: Type.Optional(Password),
    password_confirmation: Type.Optional(PasswordConfirmation),
    current_password: Type.Optional(textField(text('present_password'), { maxLength: 200, examples: ['battery staple'] })),
    place_url_name: Type.Optional(PlaceName),
    locale: Type.Optional(Locale),
    uploaded_data: Type.Optional(UploadedAvatar),
    share_location: Type.Optional(
      booleanField({ description: 'Whether `GET /users` may list you near your last public report.', examples: [true] }),
    ),
    issue_mails: Type.Optional(
      booleanField({
        description:
          'Whether you get mails about issues, questions and watch areas: updates of issues that you follow, assignments, answers, decisions about your texts, events in your watch areas, and digests.',
        examples: [false],
      }),
    ),
  },
  { title: 'ProfileChange' },
)

const message = (text: string) => Type.Object({ message: Type.String({ examples: [text] }) })
export const ERASURE_REQUESTED = 'A mail with a link that deletes the account is on its way to your confirmed addresses.'
export const EXPORT_REQUESTED = 'Your data is collected. A mail with a link to it goes to your confirmed addresses.'
export const ErasureRequested = Type.Object(message(ERASURE_REQUESTED).properties, { title: 'ErasureRequested' })
export const ExportRequested = Type.Object(message(EXPORT_REQUESTED).properties, { title: 'ExportRequested' })

export const Erasure = Type.Object(
  {
    current_password: ProfileChange.properties.current_password,
    content: Type.Optional(
      stringEnum(contentChoices, {
        default: 'keep',
        description:
          'Whether your reports, comments, questions and answers stay without your name, or are deleted. A report or question below which others wrote stays with their texts, without yours, your pictures and your name.',
      }),
    ),
  },
  { title: 'Erasure' },
)

export type ProfileChange = Static<typeof ProfileChange>
