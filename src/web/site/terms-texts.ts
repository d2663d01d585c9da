import type { Language } from '../../errors/texts/languages.ts'
import { html } from '../../html/template.ts'
import type { DocumentTexts } from './document-texts.ts'

export const termsTexts: Readonly<Record<Language, DocumentTexts>> = {
  en: {
    title: 'Terms of use',
    description: 'What you may publish here, under which licence, and what you can expect.',
    sections: (to, licence) => [
      {
        heading: 'What belongs here',
        items: [
          'Problems in public space that the city can solve, and questions and comments about them.',
          'Write what you saw, politely and truthfully. Do not name or show people, license plates or private homes without need.',
          'Insults, advertising, hate and content that is against the law are not allowed.',
        ],
      },
      {
        heading: 'Licence',
        paragraphs: [
          html`What you publish here becomes open data under ${licence}. You keep your rights, and you confirm that the texts and pictures are yours to give.`,
        ],
      },
      {
        heading: 'Moderation',
        items: [
          'Automatic checks hold back some reports and comments until a moderator has looked at them. If one is rejected, you get a mail with the reason.',
          'Moderators may hide parts of pictures. Everyone can flag content.',
        ],
      },
      {
        heading: 'What you can expect',
        items: [
          'The responsible organisation sees your report, but this site cannot promise that it acts, or when.',
          html`The site is free of charge and may be unavailable at times. Programs have to respect the limits in the ${to('/docs', 'API reference')}.`,
          'Accounts that break these rules repeatedly can be closed.',
        ],
      },
      {
        heading: 'Privacy',
        paragraphs: [html`${to('/privacy', 'What this site stores about you')}, and when it is deleted.`],
      },
    ],
  },
  es: {
    title: 'Condiciones de uso',
    description: 'Lo que puedes publicar aquí, con qué licencia y qué puedes esperar.',
    sections: (to, licence) => [
      {
        heading: 'Lo que tiene su lugar aquí',
        items: [
          'Problemas del espacio público que la ciudad puede resolver, y preguntas y comentarios sobre ellos.',
          'Escribe lo que viste, con respeto y sin faltar a la verdad. No nombres ni muestres personas, matrículas o viviendas sin necesidad.',
          'No se permiten insultos, publicidad, odio ni contenidos contrarios a la ley.',
        ],
      },
      {
        heading: 'Licencia',
        paragraphs: [
          html`Lo que publicas aquí pasa a ser un dato abierto con la licencia ${licence}. Conservas tus derechos y confirmas que puedes ceder los textos y las imágenes.`,
        ],
      },
      {
        heading: 'Moderación',
        items: [
          'Controles automáticos retienen algunos reportes y comentarios hasta que un moderador los haya visto. Si se rechaza uno tuyo, se te dice y por qué.',
          'Los moderadores pueden tapar partes de las imágenes. Todos pueden denunciar contenidos.',
        ],
      },
      {
        heading: 'Lo que puedes esperar',
        items: [
          'La organización responsable ve tu reporte, pero nadie puede prometer que actúe ni cuándo.',
          html`El sitio es gratuito y a veces puede no estar disponible. Los programas deben respetar los límites de la ${to('/docs', 'referencia de la API')}.`,
          'Las cuentas que incumplen estas reglas repetidamente se pueden cerrar.',
        ],
      },
      {
        heading: 'Privacidad',
        paragraphs: [html`${to('/privacy', 'Lo que este sitio guarda sobre ti')} y cuándo se borra.`],
      },
    ],
  },
  fr: {
    title: 'Conditions d’utilisation',
    description: 'Ce que vous pouvez publier ici, sous quelle licence, et à quoi vous attendre.',
    sections: (to, licence) => [
      {
        heading: 'Ce qui a sa place ici',
        items: [
          'Les problèmes de l’espace public que la ville peut résoudre, ainsi que les questions et commentaires à leur sujet.',
          'Écrivez ce que vous avez vu, avec politesse et sincérité. Ne nommez ni ne montrez sans nécessité des personnes, des plaques d’immatriculation ou des logements.',
          'Les insultes, la publicité, la haine et les contenus contraires à la loi ne sont pas admis.',
        ],
      },
      {
        heading: 'Licence des contenus',
        paragraphs: [
          html`Ce que vous publiez ici devient une donnée ouverte sous licence ${licence}. Vous gardez vos droits, et vous confirmez que vous pouvez céder ces textes et ces images.`,
        ],
      },
      {
        heading: 'Modération des contenus',
        items: [
          'Des contrôles automatiques retiennent certains signalements et commentaires jusqu’à ce qu’un modérateur les ait vus. Si l’un des vôtres est rejeté, vous en apprenez la raison.',
          'Les modérateurs peuvent masquer des parties d’images. Chacun peut dénoncer un contenu.',
        ],
      },
      {
        heading: 'À quoi vous attendre',
        items: [
          'L’organisation responsable voit votre signalement, mais personne ne peut promettre qu’elle agira, ni quand.',
          html`Le site est gratuit et peut être parfois indisponible. Les programmes doivent respecter les limites de la ${to('/docs', 'référence de l’API')}.`,
          'Les comptes qui enfreignent ces règles à plusieurs reprises peuvent être fermés.',
        ],
      },
      {
        heading: 'Confidentialité',
        paragraphs: [html`${to('/privacy', 'Ce que ce site enregistre sur vous')}, et quand cela est supprimé.`],
      },
    ],
  },
}
