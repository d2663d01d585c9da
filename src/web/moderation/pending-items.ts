import type { FastifyInstance } from 'fastify'

import { PENDING_ITEMS_MAX } from '../../html/site-menu.ts'
import { countPendingItems } from '../../moderation/item-queries.ts'
import type { Services } from '../../services.ts'

/** Adds the number of pending items to the menu of moderators. Register it after `addPageViewer`. */
export function addPendingItems(app: FastifyInstance, { db }: Pick<Services, 'db'>): void {
  app.addHook('onRequest', async (request) => {
    if (request.viewer?.isModerator) request.pendingItems = await countPendingItems(db.reader, PENDING_ITEMS_MAX + 1)
  })
}
