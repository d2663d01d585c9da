import Type, { type TSchema } from 'typebox'

import { failsWith } from '../../http/schema/fields.ts'
import { licenceText } from '../../http/formats/licence.ts'

/** Headers of a whole download. */
export const downloadHeaders = { 'X-Total-Count': Type.String(), 'X-Export-Cursor': Type.String() }

/** Returns the responses to a request for a part of a file in one of these media types. */
export const partResponses = (mediaTypes: readonly string[]) => ({
  206: {
    description: 'The requested part of the file (RFC 9110, 14). It is never compressed.',
    headers: { 'Content-Range': Type.String() },
    content: Object.fromEntries(
      mediaTypes.map((type) => [type, { schema: Type.String({ description: 'Some bytes of the file.', examples: ['…'] }) }]),
    ),
  },
  ...failsWith(412, 416),
})

/** Returns the schema of a whole download as GeoJSON. */
export const wholeCollection = <Feature extends TSchema>(feature: Feature, title: string) =>
  Type.Object(
    {
      type: Type.Unsafe<'FeatureCollection'>({ type: 'string', const: 'FeatureCollection' }),
      name: Type.String({ description: 'The name of the layer.', examples: ['issues'] }),
      title: Type.String({ examples: ['Issues in Denver'] }),
      licence: Type.String({ examples: [licenceText] }),
      attribution: Type.String({ examples: ['Fixpoint, http://127.0.0.1:3000/'] }),
      features: Type.Array(feature),
      numberMatched: Type.Integer({ description: 'The number of features.', examples: [1] }),
      numberReturned: Type.Integer({ description: 'The same number.', examples: [1] }),
    },
    { title },
  )
