import Type, { type Static } from 'typebox'

import { NewClosing } from '../../comments/new-comment.ts'
import { nullable, stringEnum } from '../../http/schema/fields.ts'
import { transitionNames } from '../../issue-lifecycle/transitions.ts'

const { image: _, ...fields } = NewClosing.properties

/** A picture is left out, because it changes neither the recipients nor the text. */
export const NewPreview = Type.Object(
  {
    ...fields,
    transition: Type.Optional(
      stringEnum(transitionNames, { description: 'The change of the status; none for a comment.', examples: ['close'] }),
    ),
  },
  { title: 'NewPreview' },
)

const count = (who: string) => Type.Integer({ minimum: 0, description: `Mails to ${who}.`, examples: [1] })

export const Preview = Type.Object(
  {
    is_held: Type.Boolean({ description: 'The text would wait for a review: no mail is sent before.', examples: [false] }),
    locale: nullable(Type.String({ description: 'The language of the mail.', examples: ['en'] })),
    subject: nullable(Type.String({ examples: ['Closed: Pothole at the crossing (#4711)'] })),
    text: nullable(
      Type.String({
        description: 'The mail as plain text, in the language of the issue.',
        examples: ['Ada Park closed this issue.'],
      }),
    ),
    recipients: Type.Object({
      reporter: count('the reporter'),
      followers: count('other followers'),
      watchers: count('users who watch the area and want a mail at once'),
    }),
  },
  { title: 'Preview' },
)
export type Preview = Static<typeof Preview>
