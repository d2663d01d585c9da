import type { Language } from '../../errors/texts/languages.ts'

export interface ReportNoticeTexts {
  readonly number: (id: number) => string
  readonly link: string
  readonly next: string
  readonly nextByOrganization: (organization: string) => string
  readonly nextByCommunity: string
  readonly nextAfterReview: string
  readonly onMap: string
  readonly another: string
  /** Next to the form of comments. */
  readonly otherProblem: string
  readonly reportIt: string
}

export const reportNoticeTexts: Readonly<Record<Language, ReportNoticeTexts>> = {
  en: {
    number: (id) => `Your report has the number ${id}.`,
    link: 'Its address:',
    next: 'What happens next',
    nextByOrganization: (organization) =>
      `${organization} reads the report, acknowledges it when work on it begins, and closes it when it is done. This page shows each step.`,
    nextByCommunity:
      'No organisation is responsible for it. Neighbours can comment on it, and anyone can close it when it is solved.',
    nextAfterReview: 'When a moderator has approved it, it appears on the map and everyone can see it.',
    onMap: 'See it on the map',
    another: 'Report another problem',
    otherProblem: 'Is it another problem?',
    reportIt: 'Make a new report',
  },
  es: {
    number: (id) => `Tu reporte tiene el número ${id}.`,
    link: 'Su dirección:',
    next: 'Qué pasa ahora',
    nextByOrganization: (organization) =>
      `${organization} lee el reporte, lo marca como reconocido cuando empieza a trabajar en él y lo cierra cuando está resuelto. Esta página muestra cada paso.`,
    nextByCommunity:
      'Ninguna organización es responsable. Los vecinos pueden comentarlo, y cualquiera puede cerrarlo cuando esté resuelto.',
    nextAfterReview: 'Cuando un moderador lo apruebe, aparecerá en el mapa y todo el mundo podrá verlo.',
    onMap: 'Verlo en el mapa',
    another: 'Reportar otro problema',
    otherProblem: '¿Es otro problema?',
    reportIt: 'Haz un reporte nuevo',
  },
  fr: {
    number: (id) => `Votre signalement porte le numéro ${id}.`,
    link: 'Son adresse :',
    next: 'La suite',
    nextByOrganization: (organization) =>
      `${organization} lit le signalement, le prend en compte quand les travaux commencent et le clôt quand le problème est résolu. Cette page montre chaque étape.`,
    nextByCommunity:
      'Aucune organisation n’en est responsable. Les voisins peuvent le commenter, et tout le monde peut le clore une fois résolu.',
    nextAfterReview: 'Quand un modérateur l’aura approuvé, il apparaîtra sur la carte et tout le monde pourra le voir.',
    onMap: 'Voir sur la carte',
    another: 'Signaler un autre problème',
    otherProblem: 'Est-ce un autre problème ?',
    reportIt: 'Faites un nouveau signalement',
  },
}
