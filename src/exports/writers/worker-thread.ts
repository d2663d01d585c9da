import { parentPort, workerData } from 'node:worker_threads'

import { openFlatGeobuf } from './flatgeobuf.ts'
import { openGeoPackage } from './geopackage.ts'
import { openGeoParquet } from './geoparquet.ts'
import type { WorkerFormat, WriteJob, WriteTask } from './worker.ts'
import type { OpenWriter } from '../../gis/downloads/writer.ts'

const openers: Record<WorkerFormat, OpenWriter> = { fgb: openFlatGeobuf, parquet: openGeoParquet, gpkg: openGeoPackage }

/** Runs as a worker thread. An error that is thrown here ends the thread and reaches the caller of `openInWorker`. */
async function writeInThread(port: NonNullable<typeof parentPort>, { format, path, layer }: WriteJob): Promise<void> {
  const writer = await openers[format](path, layer)
  let earlier = Promise.resolve()
  port.on('message', (task: WriteTask) => {
    earlier = earlier.then(async () => {
      await (task === 'end' ? writer.end() : writer.write(task.features))
      port.postMessage('done')
      if (task === 'end') port.close()
    })
  })
  port.postMessage('open')
}

if (parentPort) await writeInThread(parentPort, workerData as WriteJob)
