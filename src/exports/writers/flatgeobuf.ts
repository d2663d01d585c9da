import { unlinkSync } from 'node:fs'

import { toBounds } from './bounds.ts'
import { createFeatureFile } from './feature-file.ts'
import { featureEncoder } from './flatgeobuf-feature.ts'
import { encodeHeader, magicBytes } from './flatgeobuf-schema.ts'
import { createOutputFile } from './output-file.ts'
import { createBoxList, hilbertOrder, packedRTree } from './packed-rtree.ts'
import type { OpenWriter } from '../../gis/downloads/writer.ts'

/**
 * Writes FlatGeobuf version 3 with a packed Hilbert R-tree, in EPSG:4326 with longitude first. Before `end`, the path holds the
 * features by id. `end` unlinks that file, keeps it open and writes the final file. Memory holds 52 bytes for each feature.
 *
 * The package `flatgeobuf` holds all features in memory and writes no index, so only the library `flatbuffers` is used.
 */
export const openFlatGeobuf: OpenWriter = async (path, layer) => {
  const features = createFeatureFile(path)
  const boxes = createBoxList()
  const encode = featureEncoder(layer.columns)
  return {
    async write(batch) {
      for (const feature of batch) {
        features.append(encode(feature))
        boxes.add(toBounds(feature.geometry))
      }
    },
    async end() {
      const order = hilbertOrder(boxes)
      unlinkSync(path)
      const file = createOutputFile(path)
      file.append(magicBytes)
      file.append(encodeHeader(layer, boxes.count, boxes.bounds))
      if (boxes.count > 0) for (const nodes of packedRTree(boxes, order, features.size)) file.append(nodes)
      for (const ordered of features.inOrder(order)) file.append(ordered)
      file.close()
      features.close()
    },
  }
}
