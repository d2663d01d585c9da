import type { Language } from '../../errors/texts/languages.ts'
import { html } from '../../html/template.ts'
import type { DocumentTexts } from './document-texts.ts'

export const aboutTexts: Readonly<Record<Language, DocumentTexts>> = {
  en: {
    title: 'About this site',
    description: 'What this site is for, how it works and what its data may be used for.',
    sections: (to, licence) => [
      {
        heading: 'What it is for',
        paragraphs: [
          'Here residents report what is broken in public space: potholes, street lights, waste, trees. The city sees the report at once, and everyone sees what becomes of it.',
        ],
      },
      {
        heading: 'How it works',
        items: [
          'Choose the place on the map, describe the problem, add pictures if you like, and send the report. The account comes last.',
          'The report goes to the organisation that is responsible at this place. Its employees acknowledge it, and close it when the work is done.',
          'Neighbours comment, vote for an issue that concerns them too, and say when it is fixed. Who follows an issue gets a mail about each step.',
          'Seven days after it was closed, an issue is archived.',
        ],
      },
      {
        heading: 'In an emergency',
        paragraphs: ['Do not report emergencies here: reports are not read day and night. Call the emergency services.'],
      },
      {
        heading: 'Open data',
        paragraphs: [
          html`All public reports are available to programs: see the ${to('/docs', 'API reference')} and the ${to('/ogc', 'map services')}. The data is licensed under ${licence}; name Fixpoint and this address as the source.`,
        ],
      },
      {
        heading: 'Read on',
        paragraphs: [html`${to('/privacy', 'What this site stores about you')} and ${to('/terms', 'the terms of use')}.`],
      },
    ],
  },
  es: {
    title: 'Sobre este sitio',
    description: 'Para qué sirve este sitio, cómo funciona y para qué se pueden usar sus datos.',
    sections: (to, licence) => [
      {
        heading: 'Para qué sirve',
        paragraphs: [
          'Aquí los vecinos reportan lo que está dañado en el espacio público: baches, alumbrado, basura, árboles. La ciudad ve el reporte enseguida y todos ven en qué queda.',
        ],
      },
      {
        heading: 'Cómo funciona',
        items: [
          'Elige el lugar en el mapa, describe el problema, añade imágenes si quieres y envía el reporte. La cuenta viene al final.',
          'El reporte llega a la organización responsable de ese lugar. Su personal lo reconoce y lo cierra cuando el trabajo está hecho.',
          'Los vecinos comentan, votan por los reportes que también les afectan y dicen cuándo está arreglado el problema. Quien sigue un reporte recibe un correo con cada paso.',
          'Siete días después de cerrarse, un reporte se archiva.',
        ],
      },
      {
        heading: 'En una emergencia',
        paragraphs: ['No reportes emergencias aquí: nadie lee los reportes día y noche. Llama a los servicios de emergencia.'],
      },
      {
        heading: 'Datos abiertos',
        paragraphs: [
          html`Todos los reportes públicos están disponibles para programas: consulta la ${to('/docs', 'referencia de la API')} y los ${to('/ogc', 'servicios de mapas')}. Los datos tienen la licencia ${licence}; cita Fixpoint y esta dirección como fuente.`,
        ],
      },
      {
        heading: 'Sigue leyendo',
        paragraphs: [html`${to('/privacy', 'Lo que este sitio guarda sobre ti')} y ${to('/terms', 'las condiciones de uso')}.`],
      },
    ],
  },
  fr: {
    title: 'À propos de ce site',
    description: 'À quoi sert ce site, comment il fonctionne et à quoi ses données peuvent servir.',
    sections: (to, licence) => [
      {
        heading: 'À quoi il sert',
        paragraphs: [
          'Ici, les habitants signalent ce qui est abîmé dans l’espace public : nids-de-poule, éclairage, déchets, arbres. La ville voit aussitôt le signalement, et tout le monde voit ce qu’il devient.',
        ],
      },
      {
        heading: 'Comment il fonctionne',
        items: [
          'Choisissez le lieu sur la carte, décrivez le problème, ajoutez des images si vous le souhaitez et envoyez le signalement. Le compte vient en dernier.',
          'Le signalement arrive à l’organisation responsable de ce lieu. Ses agents le prennent en compte, et le closent une fois le travail fait.',
          'Les voisins commentent, votent pour ce qui les concerne aussi et disent quand c’est réparé. Qui suit un signalement reçoit un courriel à chaque étape.',
          'Sept jours après sa clôture, un signalement est archivé.',
        ],
      },
      {
        heading: 'En cas d’urgence',
        paragraphs: ['Ne signalez pas d’urgence ici : personne ne lit les signalements jour et nuit. Appelez les secours.'],
      },
      {
        heading: 'Données ouvertes',
        paragraphs: [
          html`Tous les signalements publics sont accessibles aux programmes : consultez la ${to('/docs', 'référence de l’API')} et les ${to('/ogc', 'services de cartes')}. Les données sont sous licence ${licence} ; citez Fixpoint et cette adresse comme source.`,
        ],
      },
      {
        heading: 'Pour en savoir plus',
        paragraphs: [
          html`${to('/privacy', 'Ce que ce site enregistre sur vous')} et ${to('/terms', 'les conditions d’utilisation')}.`,
        ],
      },
    ],
  },
}
