import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'

import { blocksIn, root, sectionOf } from '../docs/commands.ts'
import { freePort, killWithChildren, postgresBin, serverUser } from '../kill/servers.ts'
import { hasPatroni } from './patroni.ts'
import { createServerFolder, programPath } from './processes.ts'

describe.runIf(hasPatroni && programPath('redis-server') !== undefined)(
  '"Try a cluster" of docs/scaling.md (needs patroni, etcd-server, haproxy and redis-server)',
  () => {
    it('starts a cluster and the service, which another node takes over', { timeout: 300_000 }, async () => {
      const folder = createServerFolder()
      const [cluster = [], service = [], failover = []] = blocksIn(
        sectionOf('docs/scaling.md', 'PostgreSQL that fails over').split('### Try a cluster')[1] ?? '',
      )
      const [roles = []] = blocksIn(sectionOf('docs/operations.md', 'Roles of the database'))
      // The ports of the page may be in use: those of nodes begin with three other digits.
      const [databases, apis] = [await freePrefix(), await freePrefix()]
      const ports = { '2379': await freePort(), '6379': await freePort(), '3000': await freePort() }
      const otherPorts = (words: string) =>
        Object.entries(ports)
          .reduce((all, [port, other]) => all.replaceAll(port, String(other)), words)
          .replaceAll(/\b(500|800)(?=\d|\$n)/g, (prefix) => (prefix === '500' ? databases : apis))
      const [client, peer] = [`http://127.0.0.1:${ports['2379']}`, `http://127.0.0.1:${await freePort()}`]
      cpSync(join(root, 'deploy/patroni/node.yml'), join(folder, 'node.yml'))
      writeFileSync(join(folder, 'haproxy.cfg'), otherPorts(readFileSync(join(root, 'deploy/patroni/haproxy.cfg'), 'utf8')))
      const script = [
        'set -e',
        ...cluster,
        // "After a minute": a leader, a synchronous standby and a replica.
        `until patronictl -c deploy/patroni/node.yml list > "$CLUSTER/list" && grep -Eq 'Sync Standby.*(running|streaming)' "$CLUSTER/list" \\
          && grep -Eq 'Replica.*(running|streaming)' "$CLUSTER/list"; do sleep 1; done`,
        'export PGPASSWORD=superuser-secret',
        ...roles.map((line) => line.replace('--host=db.example.org', '--host=127.0.0.1 --port=5000 --set=ON_ERROR_STOP=1')),
        ...service,
        'curl -s -o "$CLUSTER/ready" --retry 60 --retry-delay 1 --retry-all-errors --fail http://localhost:3000/health/ready',
        ...failover,
      ]
      const shell = spawn('sh', ['-c', otherPorts(script.join('\n')).replaceAll('deploy/patroni', folder)], {
        ...serverUser(),
        cwd: root,
        detached: true,
        env: {
          ...{ PATH: `${process.env['PATH']}:${postgresBin()}`, HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8' },
          ...{ ETCD_LISTEN_CLIENT_URLS: client, ETCD_ADVERTISE_CLIENT_URLS: client, ETCD_LISTEN_PEER_URLS: peer },
          ...{ ETCD_INITIAL_ADVERTISE_PEER_URLS: peer, ETCD_INITIAL_CLUSTER: `default=${peer}` },
          ...{ PORT: String(ports['3000']), DATA_DIR: folder, DEMO: 'off' },
        },
      })
      onTestFinished(async () => {
        if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
        for (const file of globSync(join(folder, '*/node?/postmaster.pid')))
          await killWithChildren(Number(readFileSync(file, 'utf8').split('\n')[0]))
      })
      const [errors, printed] = [text(shell.stderr), text(shell.stdout)]
      const [code] = (await once(shell, 'exit')) as [number | null]
      expect([code, code === 0 ? '' : await errors]).toEqual([0, ''])
      expect(await printed).toContain('it has failed over')
    })
  },
)

/** Returns the first digits of four ports that are free. */
async function freePrefix(): Promise<string> {
  for (let prefix = 110 + Math.floor(Math.random() * 200); ; prefix++) {
    const free = await Promise.all([0, 1, 2, 3].map((digit) => isFree(prefix * 10 + digit)))
    if (free.every(Boolean)) return String(prefix)
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => void server.close(() => resolve(true)))
  })
