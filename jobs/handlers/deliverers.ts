import type { EffectName } from '../../src/queue/contracts.ts'
import { moderate } from './moderate.ts'
import { notifyAuthors } from './notify-authors.ts'
import { notifyFollowers } from './notify-followers.ts'
import { notifyWatchers } from './notify-watchers.ts'
import { sendMails } from './send-mails.ts'
import { shrinkAvatarOf, shrinkPictureOf } from './shrink-picture.ts'
import type { Effect } from './delivery.ts'

export const effects: { readonly [Name in EffectName]: Effect } = {
  moderate,
  'notify-authors': notifyAuthors,
  'notify-followers': notifyFollowers,
  'notify-watchers': notifyWatchers,
  'send-mails': sendMails,
  'shrink-avatar': shrinkAvatarOf,
  'shrink-picture': shrinkPictureOf,
}
