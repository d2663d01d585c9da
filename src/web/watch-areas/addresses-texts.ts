import type { Language } from '../../errors/texts/languages.ts'

export interface AddressesTexts {
  readonly title: (area: string) => string
  readonly description: string
  readonly warning: string
  readonly atom: string
  readonly geojson: string
  readonly json: string
  readonly renew: string
  readonly renewHint: string
  readonly back: string
}

export const addressesTexts: Readonly<Record<Language, AddressesTexts>> = {
  en: {
    title: (area) => `Private addresses: ${area}`,
    description: 'Addresses for feed readers and programs.',
    warning:
      'Copy an address into your feed reader or program. Anyone who has it can see what you watch, so do not publish it. The page does not link to it.',
    atom: 'Feed (Atom)',
    geojson: 'GeoJSON for a map',
    json: 'List (JSON)',
    renew: 'Create new addresses',
    renewHint: 'The old ones stop working.',
    back: 'Back to my areas',
  },
  es: {
    title: (area) => `Direcciones privadas: ${area}`,
    description: 'Direcciones para lectores de noticias y programas.',
    warning:
      'Copia una dirección en tu lector de noticias o programa. Quien la tenga puede ver lo que vigilas, así que no la publiques. La página no la enlaza.',
    atom: 'Canal de noticias (Atom)',
    geojson: 'GeoJSON para un mapa',
    json: 'Lista (JSON)',
    renew: 'Crear direcciones nuevas',
    renewHint: 'Las antiguas dejan de funcionar.',
    back: 'Volver a mis zonas',
  },
  fr: {
    title: (area) => `Adresses privées : ${area}`,
    description: 'Adresses pour lecteurs de flux et programmes.',
    warning:
      'Copiez une adresse dans votre lecteur de flux ou votre programme. Toute personne qui l’a peut voir ce que vous surveillez : ne la publiez pas. La page n’a pas de lien vers elle.',
    atom: 'Flux (Atom)',
    geojson: 'GeoJSON pour une carte',
    json: 'Liste (JSON)',
    renew: 'Créer de nouvelles adresses',
    renewHint: 'Les anciennes ne fonctionneront plus.',
    back: 'Retour à mes zones',
  },
}
