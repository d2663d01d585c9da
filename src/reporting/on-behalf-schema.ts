import Type from 'typebox'

import { languages } from '../locales/texts.ts'

/** The ways in which a report reaches an employee who enters it. */
export const channels = ['phone', 'counter', 'letter', 'other'] as const
export type Channel = (typeof channels)[number]

export const NAME_MAX = 255
export const PHONE_MAX = 50

export const OnBehalfSchema = Type.Object(
  {
    name: Type.Optional(Type.Unsafe<unknown>({ description: `At most ${NAME_MAX} characters.`, examples: ['Rosa Diaz'] })),
    email: Type.Optional(Type.Unsafe<unknown>({ description: 'Gets a receipt of the report.', examples: ['rosa@example.org'] })),
    phone: Type.Optional(Type.Unsafe<unknown>({ description: `At most ${PHONE_MAX} characters.`, examples: ['+1 303 555 0142'] })),
    language: Type.Optional(Type.Unsafe<unknown>({ description: `One of ${languages.join(', ')}.`, examples: ['es'] })),
    channel: Type.Unsafe<unknown>({ description: `One of ${channels.join(', ')}.`, examples: ['phone'] }),
    consent: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'True if the person agrees that the contact data is stored; required with a name, an address or a number.',
        examples: [true],
      }),
    ),
  },
  { title: 'OnBehalf' },
)
