import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'
import type { Frequency } from '../../watch-areas/digest-times.ts'
import type { About } from '../../watch-areas/schema.ts'

type Link = (text: string) => SafeHtml

export interface WatchTexts {
  readonly title: string
  readonly description: string
  readonly watch: (area: string) => string
  readonly anArea: string
  /** ICU messages. */
  readonly map: string
  readonly mapOfNewest: string
  readonly chooseIssue: string
  readonly frequency: string
  readonly frequencies: Readonly<Record<Frequency, string>>
  readonly about: string
  readonly abouts: Readonly<Record<About, string>>
  readonly name: string
  readonly nameHint: string
  readonly showForecast: string
  readonly watchThis: string
  readonly logIn: (logIn: Link, register: Link) => SafeHtml
  readonly feeds: (feed: Link, geojson: Link) => SafeHtml
  readonly feedAround: (distance: string, lat: string, lng: string) => string
  readonly feedIn: (area: string) => string
  readonly noMails: string
  /** An ICU message. `expected` is a number of mails, `range` is one of the next two texts. */
  readonly forecast: string
  readonly sameRange: (count: string) => string
  readonly range: (low: string, high: string) => string
  /** An ICU message for a forecast whose average is above the usual range, which is the start of the sentence. */
  readonly forecastOfBursts: string
}

export const watchTexts: Readonly<Record<Language, WatchTexts>> = {
  en: {
    title: 'Watch an area',
    description: 'Mails, a list and feeds about issues in an area: a city, or the streets around you.',
    watch: (area) => `Watch ${area}`,
    anArea: 'an area',
    map: 'Map of {area} with {count, plural, one {# issue} other {# issues}} as coloured dots',
    mapOfNewest: 'Map of {area} with the newest {count, plural, one {# issue} other {# issues}} as coloured dots',
    chooseIssue: 'To watch the streets around an issue, open it and choose “Watch this area”.',
    frequency: 'Frequency of mails',
    frequencies: {
      instant: 'At once, one mail for each event',
      daily: 'One mail a day, in the morning',
      weekly: 'One mail a week, on Monday morning',
      never: 'No mails: only the list and the feeds',
    },
    about: 'Content',
    abouts: { new: 'New issues', updates: 'Updates of issues', all: 'New issues and updates' },
    name: 'Name',
    nameHint: 'It appears in your mails. Other users do not see it.',
    showForecast: 'Show the expected number of mails',
    watchThis: 'Watch this area',
    logIn: (logIn, register) => html`${logIn('Log in')} or ${register('register')} to watch it.`,
    feeds: (feed, geojson) => html`Follow it without an account: ${feed('feed')} · ${geojson('GeoJSON for a map')}`,
    feedAround: (distance, lat, lng) => `Issues within ${distance} of ${lat}, ${lng}`,
    feedIn: (area) => `Issues in ${area}`,
    noMails: 'You will get no mails.',
    forecast: 'About {expected, plural, one {# mail} other {# mails}} a week, {range}, based on the last {days, number} days.',
    sameRange: (count) => `${count} in most weeks`,
    range: (low, high) => `from ${low} to ${high} in four weeks of five`,
    forecastOfBursts:
      '{range}, but sometimes many at once: {expected, plural, one {# mail} other {# mails}} a week on average, based on the last {days, number} days.',
  },
  es: {
    title: 'Vigilar una zona',
    description: 'Correos, una lista y canales sobre los reportes de una zona: una ciudad, o las calles que te rodean.',
    watch: (area) => `Vigilar ${area}`,
    anArea: 'una zona',
    map: 'Mapa de {area} con {count, plural, one {# reporte} other {# reportes}} como puntos de color',
    mapOfNewest:
      'Mapa de {area} con {count, plural, one {el reporte más reciente} other {los # reportes más recientes}} como puntos de color',
    chooseIssue: 'Para vigilar las calles alrededor de un reporte, ábrelo y elige «Vigilar esta zona».',
    frequency: 'Frecuencia de los correos',
    frequencies: {
      instant: 'Al momento, un correo por cada novedad',
      daily: 'Un correo al día, por la mañana',
      weekly: 'Un correo a la semana, el lunes por la mañana',
      never: 'Sin correos: solo la lista y los canales',
    },
    about: 'Contenido',
    abouts: {
      new: 'Reportes nuevos',
      updates: 'Actualizaciones de reportes',
      all: 'Reportes nuevos y actualizaciones',
    },
    name: 'Nombre',
    nameHint: 'Aparece en tus correos. Los demás usuarios no lo ven.',
    showForecast: 'Mostrar cuántos correos se esperan',
    watchThis: 'Vigilar esta zona',
    logIn: (logIn, register) => html`${logIn('Inicia sesión')} o ${register('regístrate')} para vigilarla.`,
    feeds: (feed, geojson) => html`Síguela sin cuenta: ${feed('canal de noticias')} · ${geojson('GeoJSON para un mapa')}`,
    feedAround: (distance, lat, lng) => `Reportes a menos de ${distance} de ${lat}, ${lng}`,
    feedIn: (area) => `Reportes en ${area}`,
    noMails: 'No recibirás correos.',
    forecast:
      'Alrededor de {expected, plural, one {# correo} other {# correos}} a la semana, {range}, según los últimos {days, number} días.',
    sameRange: (count) => `${count} en la mayoría de las semanas`,
    range: (low, high) => `de ${low} a ${high} en cuatro de cada cinco semanas`,
    forecastOfBursts:
      '{range}, pero a veces muchos a la vez: {expected, plural, one {# correo} other {# correos}} a la semana de media, según los últimos {days, number} días.',
  },
  fr: {
    title: 'Surveiller une zone',
    description: 'Des courriels, une liste et des flux sur les signalements d’une zone : une ville, ou les rues autour de vous.',
    watch: (area) => `Surveiller ${area}`,
    anArea: 'une zone',
    map: 'Carte « {area} » avec {count, plural, one {# signalement} other {# signalements}} en points de couleur',
    mapOfNewest:
      'Carte « {area} » avec {count, plural, one {le signalement le plus récent} other {les # signalements les plus récents}} en points de couleur',
    chooseIssue: 'Pour surveiller les rues autour d’un signalement, ouvrez-le, puis choisissez « Surveiller cette zone ».',
    frequency: 'Fréquence des courriels',
    frequencies: {
      instant: 'Tout de suite, un courriel par nouveauté',
      daily: 'Un courriel par jour, le matin',
      weekly: 'Un courriel par semaine, le lundi matin',
      never: 'Aucun courriel : seulement la liste et les flux',
    },
    about: 'Contenu',
    abouts: {
      new: 'Nouveaux signalements',
      updates: 'Mises à jour de signalements',
      all: 'Nouveaux signalements et mises à jour',
    },
    name: 'Nom',
    nameHint: 'Il apparaît dans vos courriels. Les autres utilisateurs ne le voient pas.',
    showForecast: 'Afficher le nombre de courriels attendu',
    watchThis: 'Surveiller cette zone',
    logIn: (logIn, register) => html`${logIn('Connectez-vous')} ou ${register('inscrivez-vous')} pour la surveiller.`,
    feeds: (feed, geojson) => html`Suivez-la sans compte : ${feed('flux')} · ${geojson('GeoJSON pour une carte')}`,
    feedAround: (distance, lat, lng) => `Signalements à moins de ${distance} de ${lat}, ${lng}`,
    feedIn: (area) => `Signalements : ${area}`,
    noMails: 'Vous ne recevrez aucun courriel.',
    forecast:
      'Environ {expected, plural, one {# courriel} other {# courriels}} par semaine, {range}, d’après les {days, number} derniers jours.',
    sameRange: (count) => `${count} la plupart des semaines`,
    range: (low, high) => `de ${low} à ${high} quatre semaines sur cinq`,
    forecastOfBursts:
      '{range}, mais parfois beaucoup à la fois : {expected, plural, one {# courriel} other {# courriels}} par semaine en moyenne, d’après les {days, number} derniers jours.',
  },
}
