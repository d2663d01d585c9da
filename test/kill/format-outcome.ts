import type { Outcome } from './kill-test.ts'

const count = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)].map(([name, all]) => `${name} ${all.length}`).join(', ')

export function formatOutcome({
  runLog,
  confirmed,
  failures,
  findings,
  mails,
  forwarded,
  repeatedMails,
  sink,
  seconds,
}: Outcome): string {
  const of = (kind: 'lost' | 'double' | 'wrong') => String(findings.filter((finding) => finding.kind === kind).length)
  const written = confirmed.filter(({ status }) => status === 201 || status === 202)
  const rows: [string, string][] = [
    ['kills with -9', `${runLog.kills.length}: ${count(runLog.kills.map(({ kind }) => kind).toSorted())}`],
    ['Redis emptied', `${runLog.flushes} ×`],
    ['writes acknowledged', `${written.length}: ${count(written.map(({ write }) => write.kind).toSorted())}`],
    ['pending review among them', String(written.filter(({ status }) => status === 202).length)],
    ['writes refused', String(confirmed.length - written.length)],
    [
      'no response, or 5xx',
      Object.entries(failures)
        .map(([name, times]) => `${name} ${times}`)
        .join(', '),
    ],
    ['sent more than once', String(confirmed.filter(({ attempts }) => attempts > 1).length)],
    ['mails', String(mails)],
    ['forwarded', `${forwarded} issues and comments`],
    ['sent again after a lost 250', `${repeatedMails}, under the same Message-ID`],
    ['refused, closed before 250', `${sink.later}, ${sink.cut}`],
    ['lost', of('lost')],
    ['double', of('double')],
    ['wrong', of('wrong')],
    ['seconds of kills, settling', `${seconds.kills.toFixed(0)}, ${seconds.settling.toFixed(0)}`],
  ]
  return rows.map(([name, value]) => `${name.padEnd(28)} ${value}`).join('\n')
}
