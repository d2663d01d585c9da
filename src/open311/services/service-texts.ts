import type { Language } from '../../errors/texts/languages.ts'

interface ServiceTexts {
  readonly sentTo: (organization: string) => string
  readonly community: string
  readonly keptPrivate: string
  readonly file: string
  readonly yes: string
  readonly no: string
}

export const serviceTexts: Readonly<Record<Language, ServiceTexts>> = {
  en: {
    sentTo: (organization) => `Reports go to ${organization}.`,
    community: 'Reports go to the community.',
    keptPrivate: 'Only the staff of the organisation sees the answer.',
    file: 'A file, in a multipart/form-data request.',
    yes: 'Yes',
    no: 'No',
  },
  es: {
    sentTo: (organization) => `Los reportes llegan a ${organization}.`,
    community: 'Los reportes llegan a la comunidad.',
    keptPrivate: 'Solo el personal de la organización ve la respuesta.',
    file: 'Un archivo, en una petición multipart/form-data.',
    yes: 'Sí',
    no: 'No',
  },
  fr: {
    sentTo: (organization) => `Les signalements sont transmis à ${organization}.`,
    community: 'Les signalements sont transmis à la communauté.',
    keptPrivate: 'Seul le personnel de l’organisation voit la réponse.',
    file: 'Un fichier, dans une requête multipart/form-data.',
    yes: 'Oui',
    no: 'Non',
  },
}
