/** Comments of residents and officials for issues of any category. */
export const residentsSay: readonly string[] = [
  'Same here, I pass this every day.',
  'Still there this morning.',
  'Thanks for reporting, I was about to do the same.',
  'I called about this {2-4} times already.',
  'It has got worse since the rain.',
  'Voted for this. Please, neighbors, do the same!',
  'Nearly fell here yesterday.',
  'Can confirm, I live across the street.',
  'Does anybody know when they will come?',
  'I saw a crew looking at it on Tuesday, so maybe soon.',
  'It is on the other side of {street} as well.',
  'My kids walk past this on the way to school.',
  'We should bring this up at the next neighborhood meeting.',
  'The one near {cross} is just as bad.',
  'I put a cone there for now.',
  'This has been going on for years in {hood}.',
  'Glad that I am not the only one who cares.',
  'Took a picture today, it looks even worse.',
  'Who should we call if it gets dangerous?',
  'Not as bad as last year, to be fair.',
  'Any news?',
  'Please do not close this before it is really done.',
  'I e-mailed the council office about it too.',
  'Someone has painted a circle around it, that is a good sign.',
  'Plus one.',
]

export const reportersSay: readonly string[] = [
  'Update: no change after {5-20} days.',
  'It is right in front of the blue house, if you are looking for it.',
  'Correction, it is closer to {cross}.',
  'Thanks everyone for the votes.',
  'Somebody came by, but nothing has been done yet.',
  'I went back with a tape measure, it has grown.',
  'Still waiting. Is there a work order number?',
  'A neighbor says this was reported by phone in the spring.',
]

export const officialsSay: readonly string[] = [
  'Thank you for the extra detail, it helps the crew to find the place.',
  'We have added your comment to the work order.',
  'This is scheduled, the date depends on the weather.',
  'Could you tell us the nearest house number?',
  'We are waiting for material and will post an update here.',
  'Our inspector did not find it. Is it on the north or the south side?',
]

/** The comment that goes with a move is required; these are for moves that anybody may make. */
export const residentsClose: readonly string[] = [
  'It is fixed, thank you!',
  'Gone when I came by today, closing.',
  'Looks good now.',
  'Someone took care of it.',
  'I reported this twice by mistake, closing this one.',
  'All done, that was quick.',
]

export const residentsReopen: readonly string[] = [
  'Reopening, it is not fixed.',
  'It lasted two days and is broken again.',
  'Nobody has been here, please look again.',
  'Wrong spot was repaired, this one is still there.',
  'It is back.',
]
