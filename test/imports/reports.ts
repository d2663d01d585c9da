export const emptyReport = {
  rows: 0,
  imported: 0,
  unchanged: 0,
  rejected: 0,
  rejectedFile: null,
  rejectedFeatures: null,
  ignoredColumns: [],
  newIds: { count: 0, first: [] },
  renumberedFile: null,
  stopped: false,
}
