import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { openFlatGeobuf } from '../../../src/exports/writers/flatgeobuf.ts'
import { openGeoParquet } from '../../../src/exports/writers/geoparquet.ts'
import { openInWorker, type WorkerFormat, workerFormats } from '../../../src/exports/writers/worker.ts'
import type { Feature } from '../../../src/gis/downloads/writer.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'
import { inventPoints, inventPolygons, pointLayer, polygonLayer, writeAll } from './invented-layers.ts'

const points = inventPoints(5000)
const [point] = points as [Feature]
/** A text in a column of integers, which every writer refuses. */
const invalid = [{ ...point, values: point.values.with(0, 'text') }]
const createFile = (format: WorkerFormat) => join(createTemporaryFolder(), `issues.${format}`)

/** Returns the files below a folder that this process has open, with deleted ones. */
function openFiles(folder: string): readonly string[] {
  const links = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(join('/proc/self/fd', descriptor))
    } catch {
      return ''
    }
  })
  return links.filter((link) => link.startsWith(folder))
}

describe('openInWorker', () => {
  it.each([
    ['fgb', openFlatGeobuf],
    ['parquet', openGeoParquet],
  ] as const)('writes the same bytes of %s as in this thread', async (format, open) => {
    const [file, other] = [createFile(format), createFile(format)]

    await writeAll(await openInWorker(format, file, pointLayer), points)
    await writeAll(await open(other, pointLayer), points)

    expect(readFileSync(file).equals(readFileSync(other))).toBe(true)
  })

  it('writes the same bytes of boundaries that it sends in parts', async () => {
    const [file, other] = [createFile('fgb'), createFile('fgb')]
    const polygons = inventPolygons(12_000)

    const writer = await openInWorker('fgb', file, polygonLayer)
    await writer.write(polygons)
    await writer.end()
    await writeAll(await openFlatGeobuf(other, polygonLayer), polygons)

    expect(readFileSync(file).equals(readFileSync(other))).toBe(true)
  })

  it.each(workerFormats)('reports an error of the writer of %s', async (format) => {
    const writer = await openInWorker(format, createFile(format), { ...pointLayer, columns: pointLayer.columns.slice(0, 1) })

    await writer.write(invalid)

    await expect(writer.end()).rejects.toThrow(/./)
    await expect(writer.write([point])).rejects.toThrow(/./)
  })

  it('reports that the thread ended early', async () => {
    const writer = await openInWorker('fgb', createFile('fgb'), pointLayer)
    const postMessage = vi.spyOn(Worker.prototype, 'postMessage')
    onTestFinished(() => postMessage.mockRestore())
    postMessage.mockImplementation(function (this: Worker) {
      void this.terminate()
    })

    await writer.write([point])

    await expect(writer.end()).rejects.toThrow('ended early')
  })

  it('reports a file that cannot be created', async () => {
    await expect(openInWorker('gpkg', join(createTemporaryFolder(), 'none/issues.gpkg'), pointLayer)).rejects.toThrow(
      'unable to open',
    )
  })

  it('waits until the thread has written the batch before the last one', async () => {
    const writer = await openInWorker('gpkg', createFile('gpkg'), pointLayer)
    const finished: number[] = []

    const writes = [1, 2, 3].map(async (number) => {
      await writer.write(points.map((feature) => ({ ...feature, id: feature.id + number * 10_000 })))
      finished.push(number)
    })
    await writes[0]
    const finishedFirst = [...finished]
    await Promise.all(writes)
    await writer.end()

    expect(finishedFirst).toEqual([1])
    expect(finished).toEqual([1, 2, 3])
  })

  it.each(workerFormats)('closes the files of an abandoned %s', async (format) => {
    const file = createFile(format)
    const writer = await openInWorker(format, file, pointLayer)
    await writer.write(points)
    const lastWrite = writer.write(points.map((feature) => ({ ...feature, id: feature.id + 5000 })))
    const end = writer.end()

    await Promise.all([
      writer.abort(),
      expect(lastWrite).rejects.toThrow('The file was abandoned'),
      expect(end).rejects.toThrow('The file was abandoned'),
    ])

    await writer.abort()
    await expect(writer.write(points)).rejects.toThrow('The file was abandoned')
    expect(existsSync('/proc/self/fd') ? openFiles(join(file, '..')) : []).toEqual([])
  })
})
