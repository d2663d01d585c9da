export const residentComments: readonly string[] = [
  'Same here, I pass this every day.',
  'Still there this morning.',
  'Thanks for reporting, I was about to do the same.',
  'I called about this {2-4} times already.',
  "It's gotten worse since the rain.",
  'Voted for this. Neighbors, please vote too!',
  'Nearly fell here yesterday.',
  'Can confirm, I live across the street.',
  'Does anyone know when a crew is coming?',
  'I saw a crew looking at it on Tuesday, so maybe soon.',
  "There's one on the other side of {street} too.",
  'My kids walk past this on the way to school.',
  'We should bring this up at the next neighborhood meeting.',
  'The one near {cross} is just as bad.',
  'I put a cone there for now.',
  'This has been going on for years in {hood}.',
  "Glad I'm not the only one who cares.",
  'Took a picture today, it looks even worse.',
  'Who should we call if it gets dangerous?',
  'Not as bad as last year, to be fair.',
  'Any news?',
  "Please don't close this until it's actually fixed.",
  'I emailed the council office about it too.',
  "Someone painted a circle around it, that's a good sign.",
  '+1',
]

export const reporterComments: readonly string[] = [
  'Update: no change after {5-20} days.',
  "It's right in front of the blue house if you're looking for it.",
  "Correction, it's closer to {cross}.",
  'Thanks everyone for the votes.',
  'Someone came by, but nothing has been done yet.',
  "I went back with a tape measure, it's bigger now.",
  'Still waiting. Is there a work order number?',
  'A neighbor says this was reported by phone in the spring.',
]

export const officialComments: readonly string[] = [
  'Thank you for the extra detail, it helps the crew find the spot.',
  'We have added your comment to the work order.',
  'This is scheduled, the date depends on the weather.',
  'Could you tell us the nearest house number?',
  'We are waiting for materials and will post an update here.',
  'Our inspector could not find it. Is it on the north or the south side?',
]

/** Comments of residents who close or reopen an issue. A status change requires a comment. */
export const residentClosingComments: readonly string[] = [
  "It's fixed, thank you!",
  'Gone when I came by today, closing.',
  'Looks good now.',
  'Someone took care of it.',
  'I reported this twice by mistake, closing this one.',
  'All done, that was fast!',
]

export const residentReopeningComments: readonly string[] = [
  "Reopening, it's not fixed.",
  "The repair lasted two days, it's broken again.",
  'No one has been here yet, please check again.',
  'They fixed the wrong spot, this one is still there.',
  "It's back.",
]
