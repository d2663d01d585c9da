import type { DeliveryHandlerName } from '../../src/queue/job-definitions.ts'
import { moderate } from './moderate.ts'
import { notify } from './notify.ts'
import { forwardIssue } from '../../src/forwarding/forward-issue.ts'
import { forwardUpdate } from '../../src/forwarding/forward-update.ts'
import { updateTargets } from '../../src/staff/targets/update-targets.ts'
import { createSquareAvatar, createSmallerImages } from './create-smaller-images.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'

export const deliveryHandlers: { readonly [Name in DeliveryHandlerName]: DeliveryHandler } = {
  moderate,
  notify,
  'forward-issue': ({ subject_id }, services, signal) => forwardIssue(services, subject_id, signal),
  'forward-update': (event, services, signal) => forwardUpdate(services, event, signal),
  'set-target': ({ subject_id }) => Promise.resolve((tx) => updateTargets(tx, [subject_id])),
  'create-square-avatar': createSquareAvatar,
  'create-smaller-images': createSmallerImages,
}
