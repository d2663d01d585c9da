import type { Language, Texts } from '../../locales/texts.ts'
import { textareaField } from '../../html/fields.ts'
import { formatNumber } from '../../html/format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { REASON_MAX, type ModerationItem } from '../../moderation/schema.ts'
import { itemName } from './moderation-subject.ts'

interface RejectionForm {
  readonly item: ModerationItem
  /** Path of the rejection. */
  readonly action: string
  readonly texts: Texts
  readonly language: Language
}

/** Asks for the reason in the list. */
export function rejectionForm({ item, action, texts, language }: RejectionForm): SafeHtml {
  const field = textareaField({
    name: 'reason',
    id: `reason-${item.id}`,
    label: texts('moderation.reason'),
    hint: texts('moderation.reasonHint', { max: formatNumber(REASON_MAX, language) }),
    ...{ required: true, language },
  })
  const name = `${texts('moderation.reject')}: ${itemName(item, language)}`
  return html`<details class="reject"><summary class="button" aria-label="${name}">${texts('moderation.reject')}</summary>
    <form method="post" action="${action}">${field}<button aria-label="${name}">${texts('moderation.reject')}</button></form></details>`
}
