import Type, { type Static } from 'typebox'

import { Id, visibleText } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'

export const VIEWS_MAX = 50
export const VIEW_NAME_MAX = 60
const QUERY_MAX = 2_000

const fields = {
  name: visibleText(VIEW_NAME_MAX, { examples: ['Late potholes'] }),
  query: Type.String({
    maxLength: QUERY_MAX,
    description: 'The query of `GET /organizations/:id/issues` as in its URL, without `page`, `per_page` and `watcher_token`.',
    'x-allowed': text('a_text_up_to', { max: QUERY_MAX }),
    examples: ['late=close&sort=target'],
  }),
  is_shared: Type.Boolean({
    description: 'All members see a shared view. To change it needs the capability `manage_content`.',
    'x-allowed': text('true_or_false'),
    examples: [false],
  }),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Views are sorted by position, then by id; one’s own come before shared ones.',
    'x-allowed': text('integer_between', { min: 0, max: 10_000 }),
    examples: [1],
  }),
}

const { name, query, ...others } = fields
export const NewView = Type.Object({ name, query, ...Type.Partial(Type.Object(others)).properties }, { title: 'NewView' })
export const ViewChange = Type.Partial(Type.Object(fields), { title: 'ViewChange' })
export type ViewInput = Static<typeof ViewChange>

export const View = Type.Object({ id: Id, ...fields }, { title: 'View' })
export type View = Static<typeof View>
export const ViewList = Type.Object(
  { errors: Type.Object({}), metadata: Type.Object({}), views: Type.Array(View) },
  { title: 'ViewList' },
)
