import { ByteBuffer } from 'flatbuffers'

const MAGIC_BYTES = 8
const LENGTH_BYTES = 4
const NODE_BYTES = 40

/** Returns the values of the first column, which must be integers, in the order of the file (FlatGeobuf 3: header, index, features). */
export function readFirstColumn(file: Buffer): readonly number[] {
  const header = tableAt(file, MAGIC_BYTES)
  const count = header.field(8) === 0 ? 0 : Number(header.bytes.readUint64(header.field(8)))
  const nodeSize = header.field(9) === 0 ? 16 : header.bytes.readUint16(header.field(9))
  let position = header.end + indexBytes(count, nodeSize)
  const values: number[] = []
  while (position < file.length) {
    const feature = tableAt(file, position)
    // A property is the number of its column and its value.
    const properties = feature.bytes.__vector(feature.field(1))
    if (feature.bytes.readUint16(properties) !== 0) throw new Error('The first column of a feature has no value')
    values.push(feature.bytes.readInt32(properties + 2))
    position = feature.end
  }
  if (values.length !== count) throw new Error(`The header names ${count} features, but there are ${values.length}`)
  return values
}

/** Returns a table with its length before it. A field is 0 if it has its default. */
function tableAt(file: Buffer, position: number) {
  const begin = position + LENGTH_BYTES
  const end = begin + file.readUInt32LE(position)
  const bytes = new ByteBuffer(file.subarray(begin, end))
  const table = bytes.readInt32(0)
  return {
    bytes,
    end,
    field(number: number) {
      const offset = bytes.__offset(table, 4 + 2 * number)
      return offset === 0 ? 0 : table + offset
    },
  }
}

function indexBytes(count: number, nodeSize: number): number {
  if (count === 0 || nodeSize === 0) return 0
  let nodes = 0
  let level = count
  do {
    nodes += level
    level = Math.ceil(level / nodeSize)
  } while (level > 1)
  return (nodes + 1) * NODE_BYTES
}
