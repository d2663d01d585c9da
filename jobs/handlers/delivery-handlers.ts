import type { HandlerName } from '../../src/queue/contracts.ts'
import { moderate } from './moderate.ts'
import { notifyAuthors } from './notify-authors.ts'
import { notifyFollowers } from './notify-followers.ts'
import { notifyWatchers } from './notify-watchers.ts'
import { sendMails } from './send-mails.ts'
import { createSquareAvatar, createSmallerPictures } from './shrink-picture.ts'
import type { DeliveryHandler } from './delivery-handler.ts'

export const deliveryHandlers: { readonly [Name in HandlerName]: DeliveryHandler } = {
  moderate,
  'notify-authors': notifyAuthors,
  'notify-followers': notifyFollowers,
  'notify-watchers': notifyWatchers,
  'send-mails': sendMails,
  'shrink-avatar': createSquareAvatar,
  'shrink-picture': createSmallerPictures,
}
